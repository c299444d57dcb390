"""A table of a TOML file that knows where it stands, so that every complaint names the file and the key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from longpole.describe.complaints import choices, is_number, kind_of, written
from longpole.errors import UsageError
from longpole.model.quantity import parse_quantity, parse_share
from longpole.model.resources import Dimension
from longpole.model.text import visible
from longpole.model.unit_names import EXAMPLES

_SMALLEST, _LARGEST = 1e-6, 10**12


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        values: What it holds, as TOML has it.
        file: The file.
        key: Where in the file it stands, as ``tasks[0].node``; empty for the whole.
    """

    values: Mapping[str, object]
    file: str
    key: str = ""

    def __contains__(self, name: str) -> bool:
        """Say whether there is such a key."""
        return name in self.values

    def wrong(self, name: str, what: str) -> UsageError:
        """Return an error about a key; an empty one stands for the table itself."""
        place = ".".join(part for part in (self.key, written(name)) if part)
        return UsageError(f"{self.file}: {place}: {what}" if place else f"{self.file}: {what}")

    def only(self, *allowed: str) -> None:
        """Refuse every other key."""
        for name in self.values:
            if name not in allowed:
                raise self.wrong(name, f"There is no such key here; {choices(name, allowed)}")

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text, on one line and fit to be shown; without a default it has to be there."""
        value = self._value(name, default)
        if not isinstance(value, str):
            raise self.wrong(name, f"This must be a text, not {kind_of(value)}.")
        tidy = visible(" ".join(value.split()))
        if not tidy and name in self.values:
            raise self.wrong(name, "This text is empty; write something or leave the key out.")
        return tidy

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; empty where there is none."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.wrong(name, f'This must be a list of texts, such as ["a", "b"], not {kind_of(value)}.')
        return tuple(visible(" ".join(each.split())) for each in value)

    def whole(self, name: str, default: int | None = None) -> int:
        """Return a whole number from 1."""
        value = self._value(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(name, f"This must be a whole number, not {kind_of(value)}.")
        if not 1 <= value <= _LARGEST:
            raise self.wrong(name, f"This must be between 1 and {_LARGEST:,}, not {kind_of(value)}.")
        return value

    def whole_or_none(self, name: str) -> int | None:
        """Return a whole number from 1, None where there is none."""
        return self.whole(name) if name in self else None

    def number(self, name: str) -> float:
        """Return a number above zero."""
        value = self._value(name)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.wrong(name, f"This must be a number, not {kind_of(value)}.")
        if not _SMALLEST <= value <= _LARGEST:
            raise self.wrong(name, f"This must be above 0 and at most {_LARGEST:,}, not {kind_of(value)}.")
        return value

    def flag(self, name: str) -> bool:
        """Return true or false; false where nothing is said."""
        value = self.values.get(name, False)
        if not isinstance(value, bool):
            raise self.wrong(name, f"This must be true or false, not {kind_of(value)}.")
        return value

    def quantity(self, name: str, dimension: Dimension) -> float:
        """Return a quantity in base units."""
        value = self._value(name)
        if not isinstance(value, str):
            such = f'"{value if is_number(value) else 1} {EXAMPLES[dimension][0]}"'
            raise self.wrong(name, f"This must be a text with a unit, such as {such}, not {kind_of(value)}.")
        try:
            return parse_quantity(value, dimension)
        except UsageError as error:
            raise self.wrong(name, str(error)) from error

    def positive(self, name: str, dimension: Dimension) -> float:
        """Return a quantity above zero."""
        value = self.quantity(name, dimension)
        if value == 0:
            raise self.wrong(name, f"This must be above zero, not {kind_of(self.values[name])}.")
        return value

    def share(self, name: str) -> float:
        """Return a share; 0 where nothing is said."""
        value = self._value(name, "0 %")
        if not isinstance(value, str):
            raise self.wrong(name, f'This must be a text such as "6 %", not {kind_of(value)}.')
        try:
            return parse_share(value)
        except UsageError as error:
            raise self.wrong(name, str(error)) from error

    def table(self, name: str) -> Table:
        """Return the table within; an empty one where there is none."""
        value = self.values.get(name, {})
        if not isinstance(value, dict):
            raise self.wrong(name, f"This must be a table, not {kind_of(value)}.")
        return Table(value, self.file, ".".join(part for part in (self.key, written(name)) if part))

    def tables(self, name: str) -> tuple[Table, ...]:
        """Return the tables of a list, ``[[name]]`` each."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self.wrong(name, f"This must be tables, each under [[{name}]], not {kind_of(value)}.")
        return tuple(Table(each, self.file, f"{name}[{place}]") for place, each in enumerate(value))

    def _value(self, name: str, default: object = None) -> object:
        value = self.values.get(name, default)
        if value is None:
            raise self.wrong("", f"The key '{name}' is missing.")
        return value
