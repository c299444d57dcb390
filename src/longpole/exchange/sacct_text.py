"""``sacct --parsable2``: a header, and a line for each job and step, cells apart by a bar or another sign."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, tzinfo

from longpole.exchange.sacct_entry import NO_NODES, Entry, moment_ns
from longpole.exchange.sentences import count_of, quoted
from longpole.exchange.unreadable import UnreadableFileError

_DELIMITERS = ("\x1f", "|", "\t", ";", ",")
_DURATION = re.compile(r"(?:(\d{1,9})-)?(?:(\d{1,9}):)?(\d{1,9}):(\d{1,9})(?:\.(\d+))?", re.ASCII)
_SIZE = re.compile(r"(\d{1,18}(?:\.\d+)?)([KMGTP]?)(?:i?B)?[nc]?")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_NS = 1_000_000_000
_NOT_YET = ("Unknown", "None")
_NO_ZONE = "The file's times are without a zone: they were taken to be of {where}; --timezone says otherwise."


def looks_like_sacct(start: str) -> bool:
    """Return whether a text begins as ``sacct --parsable2`` does."""
    header = start.partition("\n")[0].lower()
    return any("jobid" in header.split(sign) for sign in _DELIMITERS) or header.strip() == "jobid"


def entries_of_text(text: str, zone: tzinfo | None) -> tuple[list[Entry], list[str]]:
    """Return jobs and steps, and sentences on what could not be taken from it.

    Raises:
        UnreadableFileError: It has no header with the column ``JobID``, or no line below it is as it says.
    """
    header, _, rest = text.lstrip("\n").partition("\n")
    if not looks_like_sacct(header):
        raise UnreadableFileError(
            "This is no output of 'sacct --parsable2': its first line names no JobID (was it --noheader?)."
        )
    sign = next((sign for sign in _DELIMITERS if sign in header), "|")
    names = [name.strip().lower() for name in header.split(sign)]
    times = _Times(zone)
    entries, odd = [], []
    for number, line in enumerate(rest.splitlines(), start=2):
        if not line.strip():
            continue
        cells = line.split(sign)
        if len(cells) > len(names) and names[-1] == "submitline":  # which may hold the sign itself
            cells = [*cells[: len(names) - 1], sign.join(cells[len(names) - 1 :])]
        if len(cells) == len(names) + 1 and not cells[-1]:  # as --parsable ends its lines
            cells.pop()
        entry = _entry(dict(zip(names, cells, strict=False)), times) if len(cells) == len(names) else None
        if entry is None:
            odd.append(f"line {number} has {count_of(len(cells), 'cell')} and the JobID {quoted(cells[0])}")
        else:
            entries.append(entry)
    if odd and not entries:
        raise UnreadableFileError(f"no line below its header of {len(names):,} columns is a job: {odd[0]}.")
    return entries, [*times.gaps(), *_missing(names), *_odd(odd), *_unended(text)]


class _Times:
    """Moments as sacct writes them: seconds since 1970, or a date without a zone."""

    def __init__(self, zone: tzinfo | None) -> None:
        self._zone = zone
        self._guessed = False

    def moment(self, text: str) -> int | None:
        """Return nanoseconds of UTC; None for what has not happened."""
        if text.isdecimal():
            return moment_ns(int(text[:20]))
        try:
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is None:
                self._guessed = self._guessed or self._zone is None
                moment = moment.replace(tzinfo=self._zone) if self._zone else moment.astimezone()
            return moment_ns(moment.timestamp())
        except (ValueError, OverflowError, OSError):
            return None  # Unknown, None: it has not happened

    def gaps(self) -> list[str]:
        """Return what must be said about the times."""
        here = datetime.now().astimezone().tzname()
        return [_NO_ZONE.format(where=f"this machine ({here})")] if self._guessed else []


def _entry(cells: dict[str, str], times: _Times) -> Entry | None:
    job, step = _job_and_step(cells.get("jobid", "").strip())
    if not job or not job[0].isdigit():
        return None
    code, signal = _exit(cells.get("exitcode", ""))
    moments = {
        f"{name}_ns": times.moment(cells.get(name, "").strip())
        for name in ("submit", "eligible", "start", "end")
    }
    if cells.get("nodelist", "").strip() == NO_NODES:
        moments["start_ns"] = None
    cpu = {
        "cpu_user_ns": _nanoseconds(cells.get("usercpu", "")),
        "cpu_system_ns": _nanoseconds(cells.get("systemcpu", "")),
    }
    if cpu["cpu_user_ns"] is None and cells.get("totalcpu"):
        cpu = {"cpu_user_ns": _nanoseconds(cells["totalcpu"]), "cpu_system_ns": None}
    return Entry(
        job=job,
        step=step,
        name=cells.get("jobname", ""),
        state=cells.get("state", "").partition(" ")[0].rstrip("+"),
        exit_code=code,
        signal=signal,
        **moments,
        **cpu,
        peak_bytes=_bytes(cells.get("maxrss", "")),
        nodes=_known(cells.get("nodelist", "")),
        node_count=_whole(cells.get("nnodes", "")),
        tasks=_whole(cells.get("ntasks", "")),
        cpus=_whole(cells.get("alloccpus", "") or cells.get("ncpus", "")),
        memory=cells.get("reqmem", ""),
        partition=cells.get("partition", ""),
        folder=cells.get("workdir", ""),
        submit_line=cells.get("submitline", ""),
        never_eligible=cells.get("eligible", "").strip() in _NOT_YET,
    )


def _job_and_step(text: str) -> tuple[str, str]:
    """Return both; a list of waiting elements, which have no steps, may be cut with dots."""
    job, _, step = text.partition(".")
    return (text, "") if "[" in job else (job, step)


def _missing(names: list[str]) -> list[str]:
    wanted: dict[str, Callable[[], bool]] = {
        "when jobs were submitted, so no time in the queue": lambda: "submit" not in names,
        "when jobs could have started, so waiting for others is time in the queue": (
            lambda: "eligible" not in names and "submit" in names
        ),
        "when jobs began and ended": lambda: not {"start", "end"} <= set(names),
        "the submit line, so no dependency": lambda: "submitline" not in names,
    }
    return [f"The file does not tell {what}." for what, absent in wanted.items() if absent()]


def _odd(odd: list[str]) -> list[str]:
    lines = count_of(len(odd), "line")
    return [f"{lines} of the file could not be understood, the first: {odd[0]}."] if odd else []


def _unended(text: str) -> list[str]:
    """Return a sentence on a text that may have been cut off: the last of its values may be half of it."""
    return [] if text.endswith("\n") else ["The file's last line does not end: it may be cut off."]


def _exit(text: str) -> tuple[int | None, int | None]:
    code, _, signal = text.strip().partition(":")
    return _whole(code), _whole(signal) or None


def _nanoseconds(text: str) -> int | None:
    """Return a duration as Slurm writes it.

    Examples:
        >>> _nanoseconds("1-02:03:04"), _nanoseconds("00:01.250"), _nanoseconds("")
        (93784000000000, 1250000000, None)
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        return None
    days, hours, minutes, seconds = (int(group or 0) for group in found.groups()[:4])
    fraction = int((found.group(5) or "").ljust(9, "0")[:9] or 0)
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * _NS + fraction


def _bytes(text: str) -> int | None:
    """Return a size as Slurm writes it.

    Examples:
        >>> _bytes("2.5M"), _bytes("0"), _bytes("")
        (2621440, 0, None)
    """
    found = _SIZE.fullmatch(text.strip().upper().replace("N", "").replace("C", ""))
    return round(float(found.group(1)) * 1024 ** _POWERS[found.group(2)]) if found else None


def _whole(text: str) -> int | None:
    text = text.strip()
    return int(text) if re.fullmatch(r"-?\d{1,18}", text, re.ASCII) else None


def _known(text: str) -> str:
    return "" if text.strip() in ("None assigned", "Unknown", "(null)") else text.strip()
