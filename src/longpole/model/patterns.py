"""Patterns: names of files with places for members of sets, ``tiles/{tile}.png``; filling and matching them.

A place is a name in braces. Braces that are meant as such are doubled, ``{{`` and ``}}``. A place stands for
one or more characters, none of them a slash, wherever names are matched; a place that occurs twice stands for
the same text both times. Texts that a program holds many of are parsed once and remembered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from longpole.model.text import visible
from longpole.model.workflow import WorkflowError

PLACE_NAME = re.compile(r"[^\W\d]\w*")
_PIECES = re.compile(r"\{\{|\}\}|\{([^\W\d]\w*)\}|[{}]")
# What no name of a logical file has: it would lie outside of a job's folder, or have two spellings.
_UNFIT = re.compile(r"[\0\n]|(?:^|/)\.{1,2}(?:/|$)|//|^/|^$")
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern, taken apart.

    Attributes:
        literals: Texts before, between and after the places: one more than there are places.
        places: Names of the places in the order of the text; one that occurs twice is there twice.
    """

    literals: tuple[str, ...]
    places: tuple[str, ...]


@lru_cache(_REMEMBERED)
def parse(pattern: str) -> Pattern:
    """Take a pattern apart.

    Raises:
        WorkflowError: It has a brace that belongs to no place.

    Examples:
        >>> parse("tiles/{tile}.png")
        Pattern(literals=('tiles/', '.png'), places=('tile',))
    """
    literals, places, begin = [""], [], 0
    for piece in _PIECES.finditer(pattern):
        literals[-1] += pattern[begin : piece.start()]
        begin = piece.end()
        if piece[1]:
            places.append(piece[1])
            literals.append("")
        elif len(piece[0]) == 2:
            literals[-1] += piece[0][0]
        else:
            raise WorkflowError(
                f"'{visible(pattern)}' has a brace that is no part of a place such as {{tile}}; "
                "write {{ or }} for a brace that belongs to the name."
            )
    literals[-1] += pattern[begin:]
    return Pattern(tuple(literals), tuple(places))


def places(pattern: str) -> tuple[str, ...]:
    """Return the names of a pattern's places, each once, in the order of the text.

    Examples:
        >>> places("{a}/{b}-{a}.txt"), places("plain.txt")
        (('a', 'b'), ())
    """
    if "{" not in pattern:
        return ()
    return tuple(dict.fromkeys(parse(pattern).places))


def fill(pattern: str, members: Mapping[str, str]) -> str:
    """Return the name that a pattern has for these members.

    Raises:
        WorkflowError: A place has no member, or the name could not be that of a file of a workflow.

    Examples:
        >>> fill("scores/{tile}.txt", {"tile": "it's 3"})
        "scores/it's 3.txt"
    """
    if "{" not in pattern and "}" not in pattern:
        return pattern
    parsed = parse(pattern)
    try:
        filled = [
            members[place] + after for place, after in zip(parsed.places, parsed.literals[1:], strict=True)
        ]
    except KeyError as error:
        raise WorkflowError(
            f"'{visible(pattern)}' has no member for its place {{{error.args[0]}}}."
        ) from None
    name = parsed.literals[0] + "".join(filled)
    if _UNFIT.search(name):
        raise WorkflowError(_unfit(pattern, name))
    return name


def fill_some(pattern: str, members: Mapping[str, str]) -> str:
    """Return a pattern in which the places that there are members for are filled; the others stay.

    Examples:
        >>> fill_some("tiles/{image}/{tile}.png", {"image": "{odd}"})
        'tiles/{{odd}}/{tile}.png'
    """
    if "{" not in pattern:
        return pattern
    parsed = parse(pattern)
    text = doubled(parsed.literals[0])
    for place, after in zip(parsed.places, parsed.literals[1:], strict=True):
        text += doubled(members[place]) if place in members else f"{{{place}}}"
        text += doubled(after)
    return text


@lru_cache(_REMEMBERED)
def matcher(pattern: str, names: frozenset[str] | None = None) -> re.Pattern[str]:
    """Return what finds the members in names: use its ``fullmatch`` and the groups of the places' names.

    Args:
        pattern: The pattern.
        names: Places that it may have; all, if nothing is said.

    Raises:
        WorkflowError: It has another place.

    Examples:
        >>> matcher("tiles/{tile}.png").fullmatch("tiles/a b.png")["tile"]
        'a b'
    """
    parsed = parse(pattern)
    text, seen = re.escape(parsed.literals[0]), set[str]()
    for place, after in zip(parsed.places, parsed.literals[1:], strict=True):
        if names is not None and place not in names:
            raise WorkflowError(f"'{visible(pattern)}' has a place {{{place}}} that nothing is known of.")
        text += f"(?P={place})" if place in seen else f"(?P<{place}>[^/\n]+)"
        seen.add(place)
        text += re.escape(after)
    return re.compile(text)


def doubled(text: str) -> str:
    """Return a text as a pattern has it: its braces doubled.

    Examples:
        >>> doubled("a{b}")
        'a{{b}}'
    """
    return text.replace("{", "{{").replace("}", "}}")


def fits(name: str) -> bool:
    """Say whether a text can be the name of a logical file: relative, in one spelling, on one line.

    Examples:
        >>> fits("tiles/a.png"), fits("tiles/"), fits("../a"), fits("/a"), fits("a//b")
        (True, True, False, False, False)
    """
    return not _UNFIT.search(name)


def _unfit(pattern: str, name: str) -> str:
    shown = visible(name)
    if "\n" in name or "\0" in name:
        return f"'{shown}' (of '{pattern}') has a line break or a NUL in it; no file of a workflow may."
    return f"'{shown}' (of '{pattern}') leaves the folder or has empty parts; no file of a workflow may."
