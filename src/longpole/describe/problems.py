"""Problems of a description, gathered so that a user sees several at once."""

from __future__ import annotations

from collections.abc import Iterable

from longpole.model.workflow import WorkflowError

_SHOWN = 10


class Problems:
    """Sentences about what is wrong."""

    def __init__(self) -> None:
        """Begin with none."""
        self._sentences: dict[str, None] = {}

    def add(self, *sentences: str | WorkflowError) -> None:
        """Take sentences; one that is known already is not taken twice."""
        self._sentences.update(dict.fromkeys(map(str, sentences)))

    def extend(self, sentences: Iterable[str]) -> None:
        """Take sentences as they come."""
        self.add(*sentences)

    def complain(self) -> None:
        """Raise what was taken.

        Raises:
            WorkflowError: There are problems: the first few, one on each line, and how many more.
        """
        if not self._sentences:
            return
        lines = list(self._sentences)[:_SHOWN]
        more = len(self._sentences) - len(lines)
        if more:
            lines.append(f"And {more:,} more {'problem' if more == 1 else 'problems'}.")
        raise WorkflowError("\n".join(lines))
