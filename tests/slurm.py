"""A real Slurm for tests: submit a script as an ordinary user, wait for its jobs, ask about them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.recording import AS_NOBODY, NOBODY

_DAEMONS = Path(__file__).with_name("slurm_daemons.py")
_UNDER_WAY = {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "REQUEUED", "RESIZING"}


@dataclass(frozen=True, slots=True)
class Slurm:
    """A cluster of three nodes (n1, n2, n3) with two CPUs each.

    Attributes:
        conf: What SLURM_CONF must be, for whoever talks to it.
        home: A folder in which an ordinary user can write; jobs of ``submit`` run there.
    """

    conf: Path
    home: Path

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return an environment in which Slurm's commands find this cluster."""
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))
        }
        return {**kept, "SLURM_CONF": str(self.conf), "HOME": str(self.home), **(extra or {})}

    def call(
        self, *command: str, env: Mapping[str, str] | None = None, prefix: Sequence[str] = AS_NOBODY
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, as an ordinary user unless the prefix is another."""
        return subprocess.run(
            [*prefix, *command],
            cwd=self.home,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    def ask(self, *command: str) -> str:
        """Return what one of Slurm's commands says, which must succeed."""
        done = self.call(*command)
        if done.returncode:
            raise OSError(f"{' '.join(command)} exits with {done.returncode}: {done.stderr}")
        return done.stdout

    def submit(self, script: str, *arguments: str, options: Sequence[str] = ()) -> str:
        """Submit a script of bash with these arguments; return the id of its job."""
        with tempfile.NamedTemporaryFile("w", dir=self.home, suffix=".sh", delete=False) as file:
            file.write(f"#!/bin/bash\n{script}\n")
        os.chmod(file.name, 0o755)
        return self.ask("sbatch", "--parsable", *options, file.name, *arguments).strip().partition(";")[0]

    def requeue(self, job: str) -> None:
        """Send a running job back to the queue, to start again after 2 s; Slurm itself would let it wait.

        Nodes refuse a job that starts in the second in which they ended it.
        """
        self.ask("scontrol", "requeue", job)
        self.until(job, "PENDING")
        self.ask("scontrol", "update", f"JobId={job}", "StartTime=now+2")

    def until(self, job: str, *states: str, timeout_s: float = 60) -> None:
        """Wait until a job of which the controller still knows is in one of these states."""
        _wait(
            lambda: self.ask("squeue", "-h", "-a", "-tall", "-o%T", f"-j{job}").strip() in states, timeout_s
        )

    def until_forgotten(self, job: str, timeout_s: float = 100) -> None:
        """Wait until the controller no longer knows of a job that has ended."""
        _wait(lambda: self.call("scontrol", "show", "job", job).returncode != 0, timeout_s)

    def wait(self, *jobs: str, timeout_s: float = 100) -> dict[str, str]:
        """Wait until jobs have ended; return the state of each, elements of arrays apart, as accounted."""
        _wait(lambda: self._ended(jobs), timeout_s)
        return self.states(*jobs)

    def states(self, *jobs: str) -> dict[str, str]:
        """Return the state of each job, elements of arrays apart, in the first word that sacct has for it."""
        asked = self.call("sacct", "-XnP", "-oJobID,State,End", f"-j{','.join(jobs)}", prefix=())
        rows = [line.split("|") for line in asked.stdout.splitlines()]
        return {job: state.split()[0] if end != "Unknown" else "PENDING" for job, state, end in rows}

    def _ended(self, jobs: Sequence[str]) -> bool:
        found = self.states(*jobs)
        known = {name for job in found for name in (job, job.partition("_")[0])}
        return set(jobs) <= known and not _UNDER_WAY & set(found.values())


@contextmanager
def slurm_on_this_host() -> Iterator[Slurm]:
    """Bring a Slurm up, and take it down with all its jobs.

    Raises:
        OSError: It does not come up.
    """
    folder = Path(tempfile.mkdtemp(prefix="longpole-slurm-"))  # whose end is the daemons' business
    folder.chmod(0o755)
    home = folder / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    command = [sys.executable, str(_DAEMONS), str(folder)]
    pipe = subprocess.PIPE
    # in a session of its own, so that Ctrl-C reaches the tests only
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, start_new_session=True) as daemons:
        said = daemons.stdout.readline().strip() if daemons.stdout else ""
        if said != "ready":
            raise OSError(f"Slurm does not come up: {said or 'its starter ended'}")
        yield Slurm(folder / "slurm.conf", home)


def _wait(is_so: Callable[[], bool], timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not so after {timeout_s:.0f} s")
        time.sleep(0.1)
