"""Slurm's accounting, as ``sacct`` prints it: jobs, their attempts and steps, and who waited for whom.

Form: ``sacct --parsable2`` with any columns of which ``JobID`` is one, or ``sacct --json`` of any version.
What becomes of it: a task for each job or element of an array; a phase ``job`` for each attempt, from its
submission to its end, with ``hold`` (not eligible yet: it depends on another, or has a time to begin),
``queue`` and ``exec`` in it, and ``jobstep`` in that; CPU time and peak memory as Slurm has them; an edge for
each dependency in the command line of a submission. Dependencies that stand in a script are not in there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import tzinfo

from longpole.exchange.cycles import check_tables
from longpole.exchange.sacct_entry import Entry, elements_of
from longpole.exchange.sacct_jobs import tell
from longpole.exchange.sacct_json import entries_of_json
from longpole.exchange.sacct_text import entries_of_text, looks_like_sacct
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.ports import ForeignFile
from longpole.model.told import Told, Wishes

# What to ask for; the last may hold anything.
FIELDS = (
    *("JobID", "JobName", "Partition", "State", "ExitCode", "Submit", "Eligible", "Start", "End", "UserCPU"),
    *("SystemCPU", "TotalCPU", "MaxRSS", "NNodes", "NTasks", "AllocCPUS", "NodeList", "ReqMem", "WorkDir"),
    "SubmitLine",
)
_JOBS = re.compile(r'"jobs"\s*:')


class SacctImporter:
    """Reads what ``sacct`` printed; see ``model.ports.Importer``."""

    name = "sacct"
    title = "what sacct prints with --parsable2 or --json"

    def recognises(self, file: ForeignFile) -> bool:
        """Return whether this is what ``sacct`` prints."""
        start = file.head.decode("utf-8", errors="replace").lstrip()
        return (start.startswith("{") and _JOBS.search(start) is not None) or looks_like_sacct(start[:4096])

    def read(self, files: Sequence[ForeignFile], wishes: Wishes) -> Told:
        """Return the run of all jobs in these files."""
        every = [file.read().decode("utf-8", errors="replace") for file in files]
        try:
            return read_sacct(every, wishes.zone, wishes.name)
        except UnreadableFileError as error:
            names = ", ".join(file.name for file in files)
            raise UnreadableFileError(f"Nothing can be made of {names}: {error}") from error


SACCT = SacctImporter()


def read_sacct(texts: Sequence[str], zone: tzinfo | None = None, name: str = "") -> Told:
    """Return what these outputs of ``sacct`` tell, taken together.

    Args:
        texts: One or more outputs; what is in several counts once.
        zone: Where times without a zone were written; None for here.
        name: What to call the run; by default after its jobs.

    Raises:
        UnreadableFileError: One of them is no output of sacct, or tells of no job, or of jobs that wait for
            each other.
    """
    entries: list[Entry] = []
    gaps: list[str] = []
    for text in texts:
        found, missing = entries_of(text, zone)
        entries += found
        gaps += missing
    if not entries:
        raise UnreadableFileError("there is no job in what sacct printed, as where they are somebody else's.")
    told = tell(list(dict.fromkeys(entries)), tuple(dict.fromkeys(gaps)), name)
    check_tables(told.tables)
    return told


def entries_of(text: str, zone: tzinfo | None = None) -> tuple[list[Entry], list[str]]:
    """Return the jobs and steps that an output of ``sacct`` tells of, and what it does not tell.

    Raises:
        UnreadableFileError: It is no output of sacct.
    """
    is_json = text.lstrip().startswith("{")
    found, missing = entries_of_json(text) if is_json else entries_of_text(text, zone)
    return [element for entry in found for element in elements_of(entry)], missing
