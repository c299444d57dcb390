"""What Slurm knows of the jobs of a run: when each was submitted, could start, and started.

A job's own environment does not tell how long it has waited, and Slurm forgets a job soon after its end: so
``scontrol`` is asked once for each job by the agent of a node, while it runs, beside everything else and
never for long.
"""

from __future__ import annotations

import os
import subprocess
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.journal import Journal

_LIMIT_NS = 15_000_000_000
_TIMES = {"SubmitTime": "submit", "EligibleTime": "eligible", "StartTime": "start"}
_TEXTS = {
    "JobName": "name",
    "Partition": "partition",
    "NodeList": "nodes",
    "Dependency": "dependency",
    "ArrayJobId": "array_job",
    "ArrayTaskId": "array_index",
}
_NOTHING = ("", "(null)", "Unknown", "N/A")
_FORM = "%Y-%m-%dT%H:%M:%S"


class SlurmJobs:
    """Asks Slurm for the jobs of launchers, and notes what it answers."""

    name = "slurm"
    period_s = 0.5

    def __init__(self, journal: Journal, asked: dict[tuple[str, int], int]) -> None:
        """Begin with no question but those that were ``asked``, and when."""
        self._journal = journal
        self._asked = asked
        self._open: dict[tuple[str, int], subprocess.Popen[bytes]] = {}

    def welcome(self, facts: dict[str, Any]) -> None:
        """Ask for the job of a launcher, once for each attempt of it."""
        slurm = facts.get("slurm")
        if not isinstance(slurm, dict) or not str(slurm.get("job", "")).isdigit():
            return
        key = str(slurm["job"]), int(slurm.get("restarts", 0))
        if key not in self._asked:
            self._asked[key] = time.monotonic_ns()
            self._ask(key)

    def _ask(self, key: tuple[str, int]) -> None:
        command = ["scontrol", "--oneliner", "show", "job", key[0]]
        try:
            self._open[key] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        except OSError as error:
            self._note(key, {"problem": f"scontrol cannot be run ({error.strerror})"})

    def sample(self, now_ns: int) -> None:
        """Note answers that have come; give up those that have not for long."""
        for key, question in list(self._open.items()):
            if question.poll() is not None:
                del self._open[key]
                self._note(key, _answer(question, key[0]))
            elif now_ns - self._asked[key] > _LIMIT_NS:
                self._give_up(key)

    def finish(self) -> None:
        """Wait a moment for the last answers."""
        limit_ns = time.monotonic_ns() + 1_000_000_000
        while self._open and time.monotonic_ns() < limit_ns:
            time.sleep(0.01)
            self.sample(time.monotonic_ns())
        for key in list(self._open):
            self._give_up(key)

    def _give_up(self, key: tuple[str, int]) -> None:
        question = self._open.pop(key)
        question.kill()
        question.wait()
        self._note(key, {"problem": "scontrol did not answer"})

    def _note(self, key: tuple[str, int], facts: dict[str, Any]) -> None:
        self._journal.note("slurm", job=key[0], restarts=key[1], **facts)


def _environment() -> dict[str, str]:
    """Return ours, with nothing in it that would have Slurm's own programs recorded."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LONGPOLE_")}


def _answer(question: subprocess.Popen[bytes], job: str) -> dict[str, Any]:
    assert question.stdout is not None
    text = question.stdout.read().decode("utf-8", "replace")
    question.stdout.close()
    # of the last element of an array all others are told as well: it has the id of the whole array
    lines = [line for line in text.splitlines() if line.startswith(f"JobId={job} ")]
    facts = job_facts(lines[0]) if lines else {}
    return facts or {"problem": "scontrol does not know the job"}


def job_facts(text: str) -> dict[str, Any]:
    """Return what a line of ``scontrol --oneliner show job`` tells; times in seconds of UTC.

    Examples:
        >>> job_facts("JobId=7 JobName=fit Requeue=1 Partition=main SubmitTime=Unknown NodeList=n[1-2]")
        {'name': 'fit', 'partition': 'main', 'nodes': 'n[1-2]'}
    """
    facts: dict[str, Any] = {}
    for word in text.split():
        key, _, value = word.partition("=")
        if value in _NOTHING:
            continue
        if key in _TIMES:
            try:
                facts[_TIMES[key]] = int(time.mktime(time.strptime(value, _FORM)))
            except (ValueError, OverflowError):
                continue
        elif key in _TEXTS:
            facts[_TEXTS[key]] = value[:200]
    return facts
