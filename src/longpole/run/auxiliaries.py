"""Auxiliary jobs as they are written down, and told to the runner when they have ended."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic_ns

from longpole.model.staging import Moved
from longpole.run.causes import Causes
from longpole.run.engines.movements import note_moved
from longpole.run.engines.port import Delivered
from longpole.run.journal import Failure, Journal, Result
from longpole.run.messages import Assist, Assisted, Event
from longpole.store.derive.workflow_notes import Part

Assistant = Callable[[Assist, Delivered], None]
"""Does an auxiliary job, and calls when it has ended, at once or later."""


class Auxiliaries:
    """The auxiliary jobs of one run; each has one attempt in each session of it."""

    def __init__(self, assist: Assistant, journal: Journal, causes: Causes, session: int) -> None:
        """Take who does them, where they are written, and who tells the user of failures."""
        self._assist, self._journal, self._causes = assist, journal, causes
        self._session = session
        self._ended: list[Event] = []

    @property
    def has_ended(self) -> bool:
        """Whether one has ended that was not told of yet."""
        return bool(self._ended)

    def take(self) -> list[Event]:
        """Return those that have ended, each once."""
        ended, self._ended = self._ended, []
        return ended

    def begin(self, order: Assist) -> None:
        """Write down that one begins, and do it."""
        name = order.kind.value + (f" {order.level}" if order.level else "")
        number = self._journal.plan_auxiliary(name, order.kind.value)
        start_ns = monotonic_ns()
        self._journal.start(number, self._session, start_ns, start_ns)

        def ended(cause: str, moved: Moved) -> None:
            now_ns = monotonic_ns()
            parts: list[Part] = []
            if moved.transfers:
                note_moved(parts, Part("stage_out", start_ns, now_ns, name="copy"), moved)
            if cause:
                self._causes.tell_auxiliary(name, self._session, cause)
                self._journal.fail(number, self._session, now_ns, parts, Failure(1, cause))
            else:
                self._journal.commit(number, self._session, now_ns, parts, Result())
            self._ended.append(Assisted(order.kind, order.level, cause))

        self._assist(order, ended)
