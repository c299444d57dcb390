"""YAML files: how they are read, each value with its line, and the one sentence that says why one cannot be.

Only the events of the parser are used: nothing that a file says is ever constructed or executed, nesting has
a limit, and what an alias repeats is shared, and counted as if it were written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from longpole.describe.complaints import shape_of, short
from longpole.describe.lined import LinedList, LinedMap
from longpole.describe.scalars import plain_value
from longpole.describe.text_file import read_text
from longpole.model.text import visible
from longpole.model.workflow import WorkflowError

_LARGEST_BYTES = 50_000_000
_DEEPEST = 50
_MOST_REPEATED = 1_000_000
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_MERGE = "<<"


def read_yaml(path: Path) -> LinedMap:
    """Return what a file holds.

    Raises:
        WorkflowError: It is not there, not a file of ordinary size, not UTF-8 or not a map in YAML.
    """
    return parse_yaml(read_text(path, _LARGEST_BYTES, WorkflowError), str(path))


def parse_yaml(text: str, origin: str) -> LinedMap:
    """Return the map that a text holds; ``origin`` is what errors call it."""
    value = yaml_value(text, origin)
    if not isinstance(value, LinedMap):
        raise WorkflowError(f"{visible(origin)}: A workflow is a map of keys, not {shape_of(value)}.")
    return value


def yaml_value(text: str, origin: str) -> object:
    """Return the value that a text holds: maps and lists with lines, texts, numbers, true, false, None."""
    building = _Building(visible(origin))
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            building.take(event)
    except yaml.MarkedYAMLError as error:
        raise WorkflowError(_not_yaml(error, text, visible(origin))) from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise WorkflowError(f"{visible(origin)} is not YAML: it has characters that no text has.") from error
    return building.value


@dataclass(slots=True)
class _Open:
    """A map or list whose end has not come yet."""

    values: LinedMap | LinedList
    anchor: str | None
    line: int
    size: int = 1
    key: str | None = None
    merged: list[object] | None = None


class _Building:
    """Puts values together from events."""

    def __init__(self, origin: str) -> None:
        self.value: object = None
        self._origin = origin
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[object, int] | None] = {}
        self._values = 0
        self._documents = 0

    def take(self, event: Event) -> None:
        """Take the next event."""
        if isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise self._wrong(event, "A second document begins here ('---'); keep one in a file.")
        elif isinstance(event, CollectionEndEvent):
            self._close(event)
        elif isinstance(event, NodeEvent):
            self._values += 1
            self._node(event)

    def _node(self, event: NodeEvent) -> None:
        at_key = self._open and isinstance(self._open[-1].values, LinedMap) and self._open[-1].key is None
        if at_key:
            self._key(event)
        elif isinstance(event, AliasEvent):
            self._alias(event)
        elif isinstance(event, ScalarEvent):
            value = self._scalar(event)
            if event.anchor:
                self._anchors[event.anchor] = value, 1
            self._put(value, 1, event)
        else:
            self._begin(event)

    def _key(self, event: NodeEvent) -> None:
        if not isinstance(event, ScalarEvent):
            raise self._wrong(
                event, "A key must be a single text. Put texts that begin with a brace in quotes."
            )
        inner = self._open[-1]
        if event.value in inner.values and event.value != _MERGE:
            raise self._wrong(event, f"The key '{short(event.value)}' is here a second time; keep one.")
        inner.key = event.value
        if isinstance(inner.values, LinedMap):
            inner.values.lines[event.value] = _line(event)

    def _alias(self, event: AliasEvent) -> None:
        name = event.anchor
        if name not in self._anchors:
            raise self._wrong(event, f"There is no anchor '&{short(name)}' before this.")
        known = self._anchors[name]
        if known is None:
            raise self._wrong(event, f"'*{short(name)}' stands within what it repeats.")
        self._put(known[0], known[1], event)

    def _scalar(self, event: ScalarEvent) -> object:
        if event.tag not in (None, "!", f"{_TAG}str"):
            raise self._wrong(event, f"Tags such as '{short(event.tag)}' are not read; leave it out.")
        return plain_value(event.value) if event.implicit[0] and event.tag is None else event.value

    def _begin(self, event: CollectionStartEvent) -> None:
        if event.tag not in (None, "!", f"{_TAG}map", f"{_TAG}seq"):
            raise self._wrong(event, f"Tags such as '{short(event.tag)}' are not read; leave it out.")
        if len(self._open) >= _DEEPEST:
            raise self._wrong(event, "This is nested too deep.")
        if event.anchor:
            self._anchors[event.anchor] = None
        values = LinedMap() if isinstance(event, MappingStartEvent) else LinedList()
        self._open.append(_Open(values, event.anchor, _line(event)))

    def _close(self, event: Event) -> None:
        done = self._open.pop()
        for merged in done.merged or ():
            self._merge(done.values, merged, event)
        if done.anchor:
            self._anchors[done.anchor] = done.values, done.size
        self._put(done.values, done.size, event, done.line)

    def _put(self, value: object, size: int, event: Event, line: int = 0) -> None:
        if not self._open:
            self.value = value
            return
        inner = self._open[-1]
        inner.size += size
        if inner.size > self._values + _MOST_REPEATED:
            raise self._wrong(event, "Aliases repeat so much here that nobody could read it; write less.")
        if isinstance(inner.values, LinedList):
            inner.values.append(value)
            inner.values.lines.append(line or _line(event))
        elif inner.key == _MERGE:
            inner.merged = [*(inner.merged or ()), *(value if isinstance(value, LinedList) else [value])]
        elif inner.key is not None:
            inner.values[inner.key] = value
        inner.key = None

    def _merge(self, into: LinedMap | LinedList, merged: object, event: Event) -> None:
        if not isinstance(merged, LinedMap) or not isinstance(into, LinedMap):
            raise self._wrong(event, f"'<<' takes a map, such as *defaults, not {shape_of(merged)}.")
        for key, value in merged.items():
            if key not in into:
                into[key] = value
                into.lines[key] = merged.lines[key]

    def _wrong(self, event: Event, what: str) -> WorkflowError:
        return WorkflowError(f"{self._origin}:{_line(event)}: {what}")


def _line(event: Event) -> int:
    return int(event.start_mark.line) + 1


def _not_yaml(error: yaml.MarkedYAMLError, text: str, origin: str) -> str:
    mark = error.problem_mark or error.context_mark
    lines = text.splitlines()
    number = min(mark.line, max(len(lines) - 1, 0)) if mark else 0
    line = lines[number] if lines else ""
    return f"{origin}:{number + 1}: {' '.join(_reasons(error, line))}"


def _reasons(error: yaml.MarkedYAMLError, line: str) -> Iterator[str]:
    if "\t" in line[: len(line) - len(line.lstrip())]:
        yield "A tab indents this line; YAML wants blanks."
        return
    context = f" {error.context}" if error.context else ""
    yield visible(f"This is not YAML: {error.problem}{context}.")
    if "{" in line:
        yield "Put texts with braces in quotes."
    elif "not allowed" in str(error.problem) and ": " in line:
        yield "Put texts with ': ' in quotes."
