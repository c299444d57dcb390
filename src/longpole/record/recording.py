"""Recording from within: ``with longpole.record("name"):`` around a part of a program."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from longpole.record.client.phases import Phase
    from longpole.record.session import Session


class Recording:
    """Records this process, and those it starts, from ``with`` to its end.

    In a process that is being recorded already it is one phase of that run.

    Attributes:
        path: The run's folder; '' where it joined a run, or where nothing could be recorded.
    """

    def __init__(self, name: str, runs: str, detail: str) -> None:
        """Name the run, where to keep it ('' for the usual place), and how much to note of steps."""
        self.name = name
        self.path = ""
        self._runs = runs
        self._detail = detail
        self._phase: Phase | None = None
        self._session: Session | None = None

    def __enter__(self) -> Recording:
        """Begin; a recording that cannot begin is said on standard error and changes nothing."""
        from longpole.record.client.phases import phase, recording

        if recording():
            self._phase = phase(self.name or "record", "command")
            self._phase.__enter__()
            return self
        if sys.version_info < (3, 11):
            sys.stderr.write(
                "longpole: nothing is recorded: a recording from within needs Python 3.11 or later\n"
            )
            return self
        from longpole.record.session import start_session

        self._session = start_session(str(self.name), str(self._runs), self._detail)
        self.path = self._session.path
        return self

    def __exit__(
        self, failure: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End; the block's exception goes on untouched."""
        if self._phase is not None:
            self._phase.__exit__(failure, error, trace)
        if self._session is not None:
            self._session.finish(failure is not None)


def record(name: str = "", *, runs: str = "", detail: str = "auto") -> Recording:
    """Record a block of this program as a run of its own, and what frameworks do in it.

    Args:
        name: What to call the run.
        runs: Where to keep it; '' for the usual place.
        detail: How much to note of training steps and the like: low, auto or high, as ``--detail`` has it.

    Raises:
        ValueError: There is no such detail.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, record("fit", runs=folder) as recording:
        ...     total = sum(range(1000))
    """
    if detail not in ("low", "auto", "high"):
        raise ValueError(f"detail is one of low, auto, high, not {detail!r}")
    return Recording(name, runs, detail)
