"""Data reuse: a fingerprint of all that decides what a task makes.

Two tasks of one fingerprint make the same files, so what one has made need not be made again. Method: BLAKE2b
over texts that each carry their length, so that no two different tasks are written alike. The order of files
and of variables does not matter, nor do resources, retries, labels, or the folder in which a task runs. Left
out: whatever a command reads without saying so, the time of day, chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Ingredients:
    """What decides what a task makes.

    Attributes:
        command: The command line with all names filled in; of a call, the function's name and arguments.
        outputs: Names of what it makes, and patterns.
        environment: The variables that its author set.
        image: The identity of its container image, as a checksum; empty if it has none.
        programs: Checksums of its program and code files, by their names.
        inputs: Checksums of its inputs, by their names; an absent optional one has an empty checksum.
    """

    command: str
    outputs: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    image: str = ""
    programs: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)


def fingerprint(ingredients: Ingredients) -> str:
    """Return a text that is the same for two tasks if they make the same, and else is not.

    Examples:
        >>> once = fingerprint(Ingredients("wc -c a > b", ("b",), inputs={"a": "1f"}))
        >>> once == fingerprint(Ingredients("wc -c a > b", ("b",), inputs={"a": "1f"}))
        True
        >>> once == fingerprint(Ingredients("wc -c a > b", ("b",), inputs={"a": "20"}))
        False
    """
    texts = [
        ingredients.command,
        ingredients.image,
        str(len(ingredients.outputs)),
        *sorted(ingredients.outputs),
    ]
    for part in (ingredients.environment, ingredients.programs, ingredients.inputs):
        texts.append(str(len(part)))
        for name in sorted(part):
            texts.append(name)
            texts.append(part[name])
    lengths = ",".join([str(len(text)) for text in texts])
    whole = "".join([lengths, ";", *texts]).encode("utf-8", "surrogateescape")
    return blake2b(whole, digest_size=_DIGEST_BYTES).hexdigest()
