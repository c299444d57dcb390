"""Sets of a description: named domains that tasks are fanned out over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from longpole.describe.complaints import choices, shape_of, short
from longpole.describe.entry import Entry
from longpole.describe.file_names import file_pattern
from longpole.describe.lined import line_in
from longpole.describe.scalars import text_of
from longpole.model.patterns import PLACE_NAME, parse
from longpole.model.workflow import NamedSet, Unreadable, WorkflowError

_KINDS = ("values", "glob", "from")


def named_set(name: str, entry: Entry) -> NamedSet:
    """Return a set.

    Raises:
        WorkflowError: It is told in no way, in two, or in one that gives no members.
    """
    if not PLACE_NAME.fullmatch(name):
        raise entry.wrong("", f"'{short(name)}' is no name for a set: it has letters, digits and _ only.")
    entry.only(*_KINDS, "on_unreadable", "within")
    told = [kind for kind in _KINDS if entry.values.get(kind) is not None]
    if len(told) != 1:
        has = (
            f"has both '{told[0]}' and '{told[1]}'; keep one" if told else f"needs one of {', '.join(_KINDS)}"
        )
        raise entry.wrong("", f"The set '{name}' {has}.")
    within = entry.text("within")
    if within and told != ["values"]:
        raise entry.wrong("within", "Only members that 'values' lists can lie within others; leave this out.")
    return NamedSet(
        name,
        _members(entry) if "values" in told and not within else None,
        _glob(name, entry) if "glob" in told else "",
        _pattern(name, entry, "from") if "from" in told else "",
        _unreadable(entry, told[0]),
        entry.line,
        _grouped(entry) if within else None,
        within,
    )


def _members(entry: Entry) -> tuple[str, ...]:
    return _texts(entry, entry.value("values"))


def _grouped(entry: Entry) -> dict[str, tuple[str, ...]]:
    """Return the members for each member of another set."""
    groups = entry.value("values")
    if not isinstance(groups, Mapping):
        what = (
            f"With 'within', this must be a map of members for each one of that set, not {shape_of(groups)}."
        )
        raise entry.wrong("values", what)
    return {text_of(owner): _texts(entry, members) for owner, members in groups.items()}


def _texts(entry: Entry, values: object) -> tuple[str, ...]:
    if isinstance(values, dict | str | bytes) or not isinstance(values, Iterable):
        hint = ""
        if isinstance(values, dict) and len(values) == 1 and None in values.values():
            hint = f' If a parameter is meant, put it in quotes: "{{{short(str(next(iter(values))))}}}".'
        raise entry.wrong("values", f"This must be a list, not {shape_of(values)}.{hint}")
    members: dict[str, None] = {}
    for place, value in enumerate(values):
        member = text_of(value) if isinstance(value, str | int | float) else ""
        # What a parameter stands for is not looked at again.
        literal = values is entry.values["values"] or "within" in entry
        member = entry.parameters.in_text(member) if literal else member
        if not member or "\n" in member or "\0" in member:
            what = f"A member is a text on one line, or a number, not {shape_of(value)}."
            raise entry.wrong("values", what, line_in(values, place))
        if member in members:
            raise entry.wrong("values", f"'{short(member)}' is there twice; keep one.")
        members[member] = None
    return tuple(members)


def _pattern(name: str, entry: Entry, key: str) -> str:
    try:
        pattern = file_pattern(entry.text(key), entry.parameters)
    except WorkflowError as error:
        raise entry.wrong(key, str(error)) from error
    parsed = parse(pattern)
    if name not in parsed.places:
        raise entry.wrong(key, f"'{short(pattern)}' has no place {{{name}}} for the members of the set.")
    if "" in parsed.literals[1:-1]:
        raise entry.wrong(
            key, f"'{short(pattern)}' has two places side by side; nobody can tell where one ends."
        )
    return pattern


def _glob(name: str, entry: Entry) -> str:
    pattern = _pattern(name, entry, "glob")
    if "*" in pattern:
        raise entry.wrong("glob", f"Write places instead of '*', as in 'data/{{{name}}}.jpg'.")
    for place in parse(pattern).places:
        if place != name:
            raise entry.wrong("glob", f"'{short(pattern)}' may have no other place than {{{name}}}.")
    return pattern


def _unreadable(entry: Entry, kind: str) -> Unreadable:
    word = entry.text("on_unreadable", Unreadable.FAIL)
    if word not in set(Unreadable):
        raise entry.wrong("on_unreadable", f"There is no '{short(word)}'; {choices(word, Unreadable)}")
    if "on_unreadable" in entry and kind != "glob":
        raise entry.wrong(
            "on_unreadable", "Only files that 'glob' looks up can be unreadable; leave this out."
        )
    return Unreadable(word)
