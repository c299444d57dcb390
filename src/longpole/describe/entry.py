"""An entry of a workflow's description: a map that knows where it stands, for complaints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from longpole.describe.complaints import choices, shape_of, short, written
from longpole.describe.lined import line_in
from longpole.describe.substitution import Parameters
from longpole.model.workflow import WorkflowError

_LARGEST = 10**9


@dataclass(frozen=True, slots=True)
class Entry:
    """A map of a description.

    Attributes:
        values: What it holds, as it was written.
        parameters: What names of parameters stand for.
        file: The file, for complaints; empty if there is none.
        key: Where in the description it stands, as ``tasks.cut``; empty for the whole.
        line: The line that it stands on; 0 where that is not known.
    """

    values: Mapping[str, object]
    parameters: Parameters
    file: str = ""
    key: str = ""
    line: int = 0

    def __contains__(self, name: str) -> bool:
        """Say whether there is such a key."""
        return name in self.values

    def line_of(self, name: str) -> int:
        """Return the line of a key, that of the entry itself where none is known."""
        return line_in(self.values, name) or self.line

    def wrong(self, name: str, what: str, line: int = 0) -> WorkflowError:
        """Return an error about a key; an empty one stands for the entry itself."""
        place = ".".join(part for part in (self.key, written(name)) if part)
        line = line or (self.line_of(name) if name else self.line)
        where = f"{self.file}:{line}: " if self.file and line else f"{self.file}: " if self.file else ""
        return WorkflowError(f"{where}{place}: {what}" if place else f"{where}{what}")

    def only(self, *allowed: str) -> None:
        """Refuse every other key."""
        for name in self.values:
            if name not in allowed:
                raise self.wrong(
                    short(str(name)), f"There is no such key here; {choices(str(name), allowed)}"
                )

    def value(self, name: str) -> object:
        """Return a value; what a parameter stands for if it is one; None where there is none."""
        return self.parameters.whole(self.values.get(name))

    def text(self, name: str, default: str = "") -> str:
        """Return a text, with parameters replaced; a number becomes its text."""
        value = self.value(name)
        if value is None:
            return default
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise self.wrong(name, f"This must be a text, not {shape_of(value)}.")
        text = str(value)
        # What a parameter stands for is not looked at again.
        text = self.parameters.in_text(text) if value is self.values[name] else text
        if "\0" in text:
            raise self.wrong(name, "This text has a NUL in it.")
        return text

    def texts(self, name: str) -> tuple[str, ...]:
        """Return texts, of a list or a single one, as they were written."""
        value = self.value(name)
        each = [value] if isinstance(value, str) else [] if value is None else value
        if not isinstance(each, list | tuple):
            raise self.wrong(name, f"This must be a text or a list of texts, not {shape_of(value)}.")
        for place, text in enumerate(each):
            if not isinstance(text, str):
                line = line_in(each, place)
                raise self.wrong(name, f"This must be a list of texts; one is {shape_of(text)}.", line)
        return tuple(each)

    def whole(self, name: str, least: int, default: int) -> int:
        """Return a whole number."""
        value = self.value(name)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(name, f"This must be a whole number, not {shape_of(value)}.")
        if not least <= value <= _LARGEST:
            raise self.wrong(name, f"This must be from {least} to {_LARGEST:,}, not {shape_of(value)}.")
        return value

    def entry(self, name: str) -> Entry:
        """Return the map within; an empty one where there is none."""
        value = self.values.get(name)
        if not isinstance(value, Mapping | None):
            raise self.wrong(name, f"This must be a map of keys, not {shape_of(value)}.")
        key = ".".join(part for part in (self.key, written(name)) if part)
        return Entry(value or {}, self.parameters, self.file, key, self.line_of(name))

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """Return the maps within by their names; an empty one where nothing is written."""
        for name in self.values:
            yield name, self.entry(name)
