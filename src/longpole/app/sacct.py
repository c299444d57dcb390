"""Asking Slurm's accounting: one call of ``sacct``, and a sentence where it does not answer."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence

from longpole.errors import UNMEASURABLE, LongpoleError
from longpole.exchange.sacct import FIELDS, entries_of
from longpole.exchange.sacct_entry import Entry
from longpole.exchange.unreadable import UnreadableFileError

LIMIT_S = 60.0
_LAG_S = 8.0
_PAUSE_S = 1.0
_AT_ONCE = 2000
_BY_FILE = (
    "Where it answers, 'sacct --parsable2 --duplicates --format={fields} ... > jobs.txt' makes a file that "
    "'longpole import jobs.txt' takes."
)


class NoAccountingError(LongpoleError):
    """Slurm's accounting cannot be asked.

    Attributes:
        reason: Why, in a sentence of its own.
    """

    exit_code = UNMEASURABLE

    def __init__(self, reason: str) -> None:
        """Say why, and what to do."""
        self.reason = reason
        super().__init__(f"{reason} {_BY_FILE.format(fields=','.join(FIELDS))}")


def ask_sacct(jobs: Sequence[str], since: str = "", until: str = "", limit_s: float = LIMIT_S) -> str:
    """Return what sacct tells of these jobs, or of all of this user's since a date.

    Raises:
        NoAccountingError: It is not there, does not answer in time, or refuses.
    """
    command = ["sacct", "--parsable2", "--duplicates", "--noconvert", "--delimiter=\x1f"]
    command.append(f"--format={','.join(FIELDS)}")
    command.append(f"--jobs={','.join(jobs)}" if jobs else f"--user={os.getuid()}")  # root sees everybody's
    command += [f"--starttime={since}"] if since else []
    command += [f"--endtime={until}"] if until else []
    return _answer(command, limit_s)


def await_accounts(jobs: Sequence[str], limit_s: float = LIMIT_S) -> tuple[list[Entry], str]:
    """Return what Slurm has accounted of jobs that have ended, and why it is not all.

    Slurm writes its accounts every few seconds: jobs of which they have neither start nor end yet are asked
    about again, for as long as that takes.
    """
    deadline = time.monotonic() + limit_s
    patient_until = time.monotonic() + min(limit_s, _LAG_S)
    found: list[Entry] = []
    unknown = list(jobs)
    while unknown:
        try:
            said = _in_parts(unknown, deadline)
        except NoAccountingError as error:
            return found, error.reason
        except UnreadableFileError as error:
            return found, str(error)
        begun = {entry.job for entry in said if entry.start_ns is not None or entry.end_ns is not None}
        last = time.monotonic() > patient_until
        found += [entry for entry in said if last or entry.job in begun]
        unknown = [] if last else [job for job in unknown if job not in begun]
        if unknown:
            time.sleep(_PAUSE_S)
    return found, ""


def _in_parts(jobs: list[str], deadline: float) -> list[Entry]:
    """Ask about so many jobs at once as a command line has room for."""
    found: list[Entry] = []
    for at in range(0, len(jobs), _AT_ONCE):
        left_s = max(0.1, deadline - time.monotonic())
        found += entries_of(ask_sacct(jobs[at : at + _AT_ONCE], limit_s=round(left_s, 1)))[0]
    return found


def _answer(command: list[str], limit_s: float) -> str:
    """Call sacct; times are to be seconds since 1970, and the elements of a waiting array named in full."""
    environment = {**os.environ, "SLURM_TIME_FORMAT": "%s", "SLURM_BITSTR_LEN": "0", "LC_ALL": "C"}
    try:
        code, said, complaint = _run(command, environment, limit_s)
    except FileNotFoundError as error:
        raise NoAccountingError("There is no sacct here.") from error
    except subprocess.TimeoutExpired as error:
        raise NoAccountingError(f"sacct has not answered within {limit_s:g} s.") from error
    except OSError as error:
        raise NoAccountingError(f"sacct cannot be run: {error.strerror}.") from error
    if code:
        reason = _reason(complaint) or f"it ended with code {code}"
        raise NoAccountingError(f"sacct did not answer: {reason.rstrip('.')}.")
    return said


def _run(command: list[str], environment: dict[str, str], limit_s: float) -> tuple[int, str, str]:
    """Return how a command ended and what it said.

    On many clusters sacct is a script around the real one: both are ended when the time is up, and neither
    is waited for any longer.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        text=True,
        errors="replace",
        env=environment,
        start_new_session=True,
    ) as asked:
        try:
            said, complaint = asked.communicate(timeout=limit_s)
        except BaseException:
            os.killpg(asked.pid, signal.SIGKILL)
            raise
        return asked.returncode, said, complaint


def _reason(complaint: str) -> str:
    """Return the last of what sacct complained about; what comes before that are details.

    Examples:
        >>> _reason("sacct: error: Problem talking to the database: Connection refused")
        'Problem talking to the database: Connection refused'
    """
    lines = [line for line in complaint.splitlines() if line.strip()]
    last = " ".join(lines[-1].split()) if lines else ""
    return last.removeprefix("sacct: ").removeprefix("error: ")[:300]
