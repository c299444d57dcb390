"""Every error of ours: a sentence for the user, the facts as attributes, and the exit code it means."""

from __future__ import annotations

from collections.abc import Sequence

USAGE = 2
UNMEASURABLE = 3
# So many names are said of a long list.
_SHOWN = 5


class LongpoleError(Exception):
    """The base of all our errors; ``exit_code`` is what the command line returns for it."""

    exit_code = USAGE


class UsageError(LongpoleError):
    """A command or call was given something it cannot use."""


class AttachError(LongpoleError):
    """A process that already runs cannot be recorded."""


class RunNotFoundError(LongpoleError):
    """No run, or more than one, answers to a name."""

    def __init__(self, wanted: str, runs_folder: str, matches: tuple[str, ...] = ()) -> None:
        """Say which run was wanted, and where it was looked for."""
        self.wanted, self.runs_folder, self.matches = wanted, runs_folder, matches
        if matches:
            some = ", ".join(matches[:5])
            text = f"'{wanted}' could be any of {len(matches)} runs ({some}). Give more of its id."
        else:
            text = f"No run '{wanted}' in {runs_folder}. 'longpole ls' shows what is there."
            if "/" in wanted:
                text = f"{wanted} is not a run: it has neither a run.json nor a log."
        super().__init__(text)


class DamagedRunError(LongpoleError):
    """A run directory holds something that cannot be used."""

    exit_code = UNMEASURABLE


class UnreadableLogError(DamagedRunError):
    """A file of a run cannot be read."""

    def __init__(self, path: str, reason: str) -> None:
        """Say which file, and why."""
        self.path, self.reason = path, reason
        super().__init__(f"Cannot read {path}: {reason}.")


class ForeignLogError(DamagedRunError):
    """A file in a run's log folder was not written by Longpole."""

    def __init__(self, path: str) -> None:
        """Say which file."""
        self.path = path
        super().__init__(f"{path} is not a log of Longpole: it has no header and no intact record.")


class NewerLogError(DamagedRunError):
    """A later version of Longpole wrote this."""

    def __init__(self, path: str, found: int, known: int) -> None:
        """Say which file, the version it has and the newest we can read."""
        self.path, self.found, self.known = path, found, known
        super().__init__(
            f"{path} has version {found}; this Longpole reads up to {known}. Upgrade it to read this run."
        )


class NothingToCompareError(LongpoleError):
    """None of the runs that were to be compared can be."""

    exit_code = UNMEASURABLE


class CyclicGraphError(LongpoleError):
    """Tasks that depend on themselves.

    Attributes:
        nodes: Places of the tasks of one cycle, in their order.
    """

    exit_code = UNMEASURABLE

    def __init__(self, nodes: list[int], names: Sequence[str] = ()) -> None:
        """Take one cycle, and what its tasks are called."""
        self.nodes, self.names = nodes, tuple(names)
        some = " -> ".join(f"'{name}'" for name in self.names[:_SHOWN])
        more = f" and {len(nodes) - _SHOWN:,} more" if len(self.names) > _SHOWN else ""
        told = f": {some}{more}" if some else ""
        super().__init__(f"Some tasks depend on themselves, in a cycle of {len(nodes):,}{told}.")


class NoSuchPhaseError(LongpoleError):
    """A run has no phase of a name."""

    def __init__(self, wanted: str, close: Sequence[str]) -> None:
        """Say which was wanted, and what is called much like it."""
        self.wanted, self.close = wanted, tuple(close)
        some = ", ".join(f"'{name}'" for name in self.close[:_SHOWN])
        super().__init__(f"The run has no phase '{wanted}'." + (f" It has {some}." if some else ""))


class QueryError(LongpoleError):
    """A SQL statement was refused or failed."""


class MissingLibraryError(LongpoleError):
    """An optional library is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        """Say which library, and how to get it."""
        self.library, self.extra = library, extra
        super().__init__(f"This needs {library}. Install it with: pip install 'longpole[{extra}]'.")
