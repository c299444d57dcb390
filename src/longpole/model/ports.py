"""What we need of parts that can be exchanged, each promise written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from longpole.model.containers import Inside
from longpole.model.staging import Item, Moved
from longpole.model.told import Told, Wishes


class Source(Protocol):
    """Something an agent reads regularly: the processes, the host, the GPUs, the rings.

    It is used by one thread. Neither method may block. Either may raise: the source is then stopped, named
    in the run, and never called again, and the other sources go on.
    """

    name: str
    """What it is called in a run when it had to be stopped."""

    period_s: float
    """How often it wants to be asked, in seconds."""

    def sample(self, now_ns: int) -> None:
        """Read once and write what is new; ``now_ns`` is the monotonic clock and never goes back."""

    def finish(self) -> None:
        """Read a last time: the command has ended. May come without any ``sample`` before it."""


class ForeignFile(Protocol):
    """A file of another system that is to be imported."""

    @property
    def name(self) -> str:
        """What the user calls it; for messages."""

    @property
    def path(self) -> str:
        """Where it lies on the disk, packed if it is; standard input has been copied there."""

    @property
    def head(self) -> bytes:
        """Its first 64 KiB, unpacked; all of a smaller file."""

    def read(self) -> bytes:
        """Return all of it, unpacked; may block, may be called again, and raises ``LongpoleError``."""


class Importer(Protocol):
    """Reads what another system wrote; found by an entry point of ``longpole.importers``.

    Nothing in a file may be executed or unpickled. Both methods may be called again.
    """

    name: str
    """A short word for it, as in ``--format wfformat``."""

    title: str
    """What it reads, as a person would say it: ``a WfFormat instance``."""

    def recognises(self, file: ForeignFile) -> bool:
        """Return whether a file is of this form, by its head and name; never raises, never reads it all."""

    def read(self, files: Sequence[ForeignFile], wishes: Wishes) -> Told:
        """Return the one run that files of this form tell of.

        Raises:
            LongpoleError: One cannot be read; a sentence that names the file and what is wrong in it.
        """


class Way(Protocol):
    """One way of moving files between where a run keeps them and the folder of a job.

    Used in a process of its own: both methods block until all is done, and may be called again and again.
    Nothing half-written may ever be found under a final name: a file is complete there, or not there.
    """

    name: str
    """What phases call it: ``http``, ``copy``, ``link``, ``ssh``."""

    def bring(self, items: Sequence[Item], folder: str) -> Moved:
        """Put items into the folder of a job, under their names.

        Raises:
            StagingError: One cannot be read or written, or stays wrong after it was fetched again.
        """

    def send(self, items: Sequence[Item], folder: str) -> Moved:
        """Put items of a job's folder where the run keeps them, with sizes and checksums of all.

        Raises:
            StagingError: One is not there or cannot be written.
        """


class Runtime(Protocol):
    """Runs commands in containers. No method waits for a command to end."""

    name: str
    """A short word for it, as in ``--container bwrap``."""

    def missing(self) -> str:
        """Return why it cannot be used on this machine, as a sentence; empty where it can."""

    def prepare(self, image: str) -> str:
        """Make an image ready, once for all jobs; return what ``command`` takes for it. May block.

        Raises:
            ContainerError: There is no such image, or it cannot be used.
        """

    def command(self, prepared: str, inside: Inside, arguments: Sequence[str]) -> list[str]:
        """Return the command line that executes arguments within; changes nothing.

        Whoever executes it does so in ``inside.folder`` with ``inside.environment`` as all its variables:
        values stand in no command line, where everybody could read them.
        """

    def release(self, prepared: str) -> None:
        """Undo ``prepare``, when no job needs the image any more; never raises."""
