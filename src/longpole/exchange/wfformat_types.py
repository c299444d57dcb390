"""What kind of task a task is, from its name: WfFormat has no word for that, but before 1.5.

Method: the category, where there is one (before 1.5, and in what we write); else the program, where the name
begins with it (``mProject_ID0000002``) or is a mere number; else the name without what is in parentheses
(``FASTQC (sample 1)``) and without a number at its end. A number that nothing parts from the name
(``sha256``, ``task12``) is only left out where tasks of another number are there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_NUMBER = re.compile(r"(?:[-_.:# ]+(?:ID)?|^ID|^)\d+$")
_BARE_NUMBER = re.compile(r"\d+$")
_WORD = re.compile(r"[\w.+-]{1,64}")
_LABEL = " ("
_NAMELESS = "task"


def types_of(
    names: Sequence[str], categories: Sequence[str | None], programs: Sequence[str | None]
) -> list[str]:
    """Return the type of each task; programs are those for which ``is_named_for`` says so.

    Examples:
        >>> types_of(["a_ID01", "b2", "b3", "sha256", "F (x)"], [None] * 5, [None] * 5)
        ['a', 'b', 'b', 'sha256', 'F']
    """
    found = [
        category or program or _stem(name) or _NAMELESS
        for name, category, program in zip(names, categories, programs, strict=True)
    ]
    given = {word for words in (categories, programs) for word in words if word}
    shorter = _without_bare_numbers(set(found) - given)
    return [shorter.get(word, word) for word in found]


def is_named_for(name: str, program: str) -> bool:
    """Return whether a task is known by its program: its name begins with that, or says nothing.

    Examples:
        >>> is_named_for("mAdd_12", "mAdd"), is_named_for("mAddAll", "mAdd"), is_named_for("ID12", "mAdd")
        (True, False, True)
    """
    if name.startswith(program):
        return not name[len(program) : len(program) + 1].isalnum()
    return _WORD.fullmatch(program) is not None and not _stem(name)


def _stem(name: str) -> str:
    return _NUMBER.sub("", name.partition(_LABEL)[0])


def _without_bare_numbers(words: set[str]) -> dict[str, str]:
    """Return shorter words for those that differ in nothing but a number at the end."""
    stems = {word: _BARE_NUMBER.sub("", word) for word in words if word[-1:].isdigit()}
    counts = Counter(stems.values())
    return {word: stem for word, stem in stems.items() if stem and counts[stem] > 1}
