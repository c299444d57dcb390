"""Asking Slurm's accounting: one call of ``sacct``, and a sentence where it does not answer."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from longpole.errors import UNMEASURABLE, LongpoleError
from longpole.exchange.sacct import FIELDS

_LIMIT_S = 120.0
_BY_FILE = (
    "Where it answers, 'sacct --parsable2 --duplicates --format={fields} ... > jobs.txt' makes a file that "
    "'longpole import jobs.txt' takes."
)


class NoAccountingError(LongpoleError):
    """Slurm's accounting cannot be asked."""

    exit_code = UNMEASURABLE

    def __init__(self, reason: str) -> None:
        """Say why, and what to do."""
        super().__init__(f"{reason} {_BY_FILE.format(fields=','.join(FIELDS))}")


def ask_sacct(jobs: Sequence[str], since: str = "", until: str = "") -> str:
    """Return what sacct tells of these jobs, or of all of this user's since a date.

    Raises:
        NoAccountingError: It is not there, does not answer, or refuses.
    """
    command = ["sacct", "--parsable2", "--duplicates", "--noconvert", "--delimiter=\x1f"]
    command.append(f"--format={','.join(FIELDS)}")
    command += [f"--jobs={','.join(jobs)}"] if jobs else []
    command += [f"--starttime={since}"] if since else []
    command += [f"--endtime={until}"] if until else []
    environment = {**os.environ, "SLURM_TIME_FORMAT": "%s", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIMIT_S,
            env=environment,
            check=False,
        )
    except FileNotFoundError as error:
        raise NoAccountingError("There is no sacct here.") from error
    except subprocess.TimeoutExpired as error:
        raise NoAccountingError(f"sacct has not answered within {_LIMIT_S:.0f} s.") from error
    except OSError as error:
        raise NoAccountingError(f"sacct cannot be run: {error.strerror}.") from error
    if done.returncode:
        said = " ".join(done.stderr.split())[:300] or f"it ended with code {done.returncode}"
        raise NoAccountingError(f"sacct did not answer: {said.rstrip('.')}.")
    return done.stdout
