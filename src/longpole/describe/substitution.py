"""Parameters in what an author writes: ``{scale}`` becomes what was chosen for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from longpole.describe.scalars import text_of
from longpole.model.command_line import plain_text
from longpole.model.patterns import fill_some
from longpole.model.workflow import WorkflowError

Plain = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Parameters:
    """What was chosen.

    Attributes:
        values: Plain values, or lists of them, by name.
        texts: The same as text.
        single: The texts of those that are no lists.
    """

    values: Mapping[str, Plain | tuple[Plain, ...]] = field(default_factory=dict)
    texts: Mapping[str, str | tuple[str, ...]] = field(init=False)
    single: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Spell the values."""
        texts = {
            name: tuple(map(text_of, value)) if isinstance(value, tuple) else text_of(value)
            for name, value in self.values.items()
        }
        object.__setattr__(self, "texts", texts)
        object.__setattr__(
            self, "single", {name: each for name, each in texts.items() if isinstance(each, str)}
        )

    def whole(self, value: object) -> object:
        """Return what a text that is one parameter alone stands for, any other value as it is."""
        if isinstance(value, str) and value[:1] == "{" and value[-1:] == "}":
            return self.values.get(value[1:-1], value)
        return value

    def in_text(self, text: str) -> str:
        """Return a text with its parameters replaced; other braces stay."""
        return plain_text(text, self.texts)

    def in_pattern(self, pattern: str) -> str:
        """Return a pattern with its parameters replaced.

        Raises:
            WorkflowError: One is a list, or the pattern has a brace that belongs to no place.
        """
        if "{" not in pattern or not self.values:
            return pattern
        filled = fill_some(pattern, self.single)
        for name, value in self.texts.items():
            if not isinstance(value, str) and f"{{{name}}}" in filled:
                raise WorkflowError(
                    f"The parameter '{name}' is a list; make a set of it, values: \"{{{name}}}\", for it."
                )
        return filled
