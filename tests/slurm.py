"""A real Slurm for tests: submit a script as an ordinary user, wait for its jobs, ask about them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.recording import AS_NOBODY, NOBODY

_DAEMONS = Path(__file__).with_name("slurm_daemons.py")


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

    def until_accounted(self, job: str, timeout_s: float = 60) -> None:
        """Wait until the accounting knows of a job, which may still be waiting."""
        _wait(lambda: bool(self._accounted([job])), timeout_s)

    def until_forgotten(self, job: str, timeout_s: float = 100) -> None:
        """Wait until the controller no longer knows of a job that has ended."""
        _wait(lambda: self.call("scontrol", "show", "job", job).returncode != 0, timeout_s)

    def wait(self, *jobs: str, timeout_s: float = 100) -> dict[str, str]:
        """Wait until jobs have ended and are accounted; return the state of each, elements of arrays apart.

        Slurm writes much of what it accounts every 5 s only.
        """
        _wait(lambda: self._is_accounted(jobs), timeout_s)
        return self.states(*jobs)

    def states(self, *jobs: str) -> dict[str, str]:
        """Return the state of each job, elements of arrays apart, in the first word that sacct has for it."""
        return {job: state.split()[0] for job, state, *_ in self._accounted(jobs)}

    def _is_accounted(self, jobs: Sequence[str]) -> bool:
        if self.call("squeue", "-h", f"-j{','.join(jobs)}", prefix=()).stdout:
            return False
        rows = self._accounted(jobs)
        known = Counter(job.partition("_")[0] for job, *_ in rows)
        complete = all(end != "Unknown" and line for _, _, end, line in rows)
        return complete and all(known[job] >= max(1, self._remembered(job)) for job in jobs)

    def _accounted(self, jobs: Sequence[str]) -> list[list[str]]:
        columns = "JobID,State,End,SubmitLine"
        asked = self.call("sacct", "-XnP", f"-o{columns}", f"-j{','.join(jobs)}", prefix=())
        return [line.split("|", 3) for line in asked.stdout.splitlines()]

    def _remembered(self, job: str) -> int:
        """Return how many elements of a job the controller still knows."""
        return self.call("scontrol", "-o", "show", "job", job, prefix=()).stdout.count("JobId=")


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
