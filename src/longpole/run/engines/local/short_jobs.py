"""Jobs of one plain task, done as a whole by warm workers: links, the process, its outputs put in place.

A worker has one job at a time and the next ones waiting in its socket, so that cores never wait for the
driver, and the driver hears of several at once when it is busy. What is not plain (containers, limits of
memory or time, GPUs, patterns, many files) is not done here; what turns out not to be plain at its end, a
large file or a directory, is left for the driver to put in place.
"""

from __future__ import annotations

import mmap
import os
import signal
from collections.abc import Callable
from time import monotonic_ns

import msgspec

from longpole.model.staging import Item
from longpole.run.engines.local.at_once import link_all, rename_all
from longpole.run.engines.local.outputs import Outputs
from longpole.run.engines.local.processes import Processes, end_group
from longpole.run.engines.local.settings import Settings
from longpole.run.messages import Made


class Request(msgspec.Struct, array_like=True, frozen=True):
    """A job.

    Attributes:
        arguments: The file of its program, and its arguments.
        environment: Variables beside those of all jobs.
        folder: Its folder; empty: it has nothing to do with files.
        links: Its inputs.
        parents: Directories that its outputs are to lie in.
        outputs: Names of its outputs, and whether each may be absent.
        output: The name that what it prints gets.
    """

    arguments: list[str]
    environment: dict[str, str]
    folder: str
    links: tuple[Item, ...]
    parents: tuple[str, ...]
    outputs: tuple[tuple[str, bool], ...]
    output: str


class Answer(msgspec.Struct, array_like=True, frozen=True):
    """What came of it.

    Attributes:
        times: When it began, its process began, that ended, and all was over.
        pid: Its process; 0 if none was started.
        status: The wait status of that.
        used: What it used.
        output: The file with what it printed; empty: nothing.
        made: What it made; None if the driver has to put it in place, or has to do all of the job.
        trouble: The number of the system's error that kept it from being started; 0: none.
        missing: An output that is not there; empty: none.
        stopped: Whether it was stopped.
    """

    times: tuple[int, int, int, int]
    pid: int = 0
    status: int = 0
    used: tuple[int, ...] = ()
    output: str = ""
    made: tuple[tuple[str, int, str], ...] | None = ()
    trouble: int = 0
    missing: str = ""
    stopped: bool = False

    @property
    def is_undone(self) -> bool:
        """Whether nothing was done, since the job is not as plain as it seemed."""
        return self.made is None and not self.pid


_REQUESTS = msgspec.msgpack.Decoder(Request)
_ANSWERS = msgspec.msgpack.Decoder(Answer)
_ENCODER = msgspec.msgpack.Encoder()


def as_bytes(request: Request) -> bytes:
    """Return a job for a worker."""
    return _ENCODER.encode(request)


def answer_of(data: bytes) -> Answer:
    """Return what a worker has answered."""
    return _ANSWERS.decode(data)


class Server:
    """Does jobs in this process, one after the other."""

    def __init__(self, settings: Settings, tell: Callable[[int, int], None], stopping: mmap.mmap) -> None:
        """Take what all jobs have in common, what hears of the process of each, and where a stop is told."""
        self._tell, self._stopping = tell, stopping
        self._environment = dict(settings.environment)
        self._scratch, self._kept, self._digest = settings.scratch, settings.kept, settings.digest
        self._processes = Processes()
        self._outputs = Outputs(settings.output)
        self._pid = 0
        self._stopped = False
        signal.signal(signal.SIGTERM, self._stop)

    def __call__(self, data: bytes) -> bytes:
        """Do one job that came as bytes."""
        return _ENCODER.encode(self._do(_REQUESTS.decode(data)))

    def _do(self, job: Request) -> Answer:
        began = monotonic_ns()
        if self._stopped:
            return Answer((began, began, began, began), stopped=True)
        output = None
        try:
            output = self._outputs.take()
            if job.folder and not _make_folder(job):
                self._outputs.give_back(output, lambda: job.output)
                return Answer((began, began, began, began), made=None)
            start = monotonic_ns()
            self._pid = self._processes.start(
                job.arguments,
                {**self._environment, **job.environment},
                job.folder or self._scratch,
                output[0],
            )
            self._tell(self._pid, start)
        except OSError as error:
            now = monotonic_ns()
            if output is not None:
                self._outputs.give_back(output, lambda: job.output)
            return Answer((began, now, now, now), trouble=error.errno or 1)
        return self._ended(job, (began, start), output)

    def _ended(self, job: Request, begun: tuple[int, int], output: tuple[int, str]) -> Answer:
        if self._stopped:
            end_group(self._pid, signal.SIGTERM)  # asked for between the start and now
        ended = self._processes.wait(self._pid)
        pid, self._pid = self._pid, 0
        printed = self._outputs.give_back(output, lambda: job.output)
        made: tuple[Made, ...] | None = ()
        missing = ""
        if not ended.status and job.outputs:
            names = [name for name, optional in job.outputs if not optional or _is_there(job.folder, name)]
            made = rename_all(names, job.folder, self._kept, self._digest)
            if made is None:
                missing = next((name for name in names if not _is_there(job.folder, name)), "")
        if job.folder and made is not None and not ended.status:
            _remove(job)
        times = (*begun, ended.end_ns, monotonic_ns())
        return Answer(times, pid, ended.status, ended.used, printed, made, 0, missing, self._stopped)

    def _stop(self, number: int, frame: object) -> None:  # noqa: ARG002  as Python calls it
        if not self._stopping[0]:
            return  # not from us: a job may signal its parent
        self._stopped = True
        if self._pid:
            end_group(self._pid, signal.SIGTERM)


def _make_folder(job: Request) -> bool:
    """Make a job's folder and link its inputs; return whether that was done, and is not for the driver."""
    os.mkdir(job.folder, 0o700)
    for name in job.parents:
        os.makedirs(f"{job.folder}/{name}", exist_ok=True)
    return not job.links or link_all(job.links, job.folder)


def _remove(job: Request) -> None:
    """Remove the folder of a job that is done; what it left there unasked stays for the driver."""
    try:
        for item in job.links:
            os.unlink(f"{job.folder}/{item.name}")
        os.rmdir(job.folder)
    except OSError:
        pass


def _is_there(folder: str, name: str) -> bool:
    return os.path.lexists(f"{folder}/{name}")
