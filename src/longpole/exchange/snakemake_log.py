"""The log that Snakemake keeps of an invocation (``.snakemake/log``): jobs and their tries.

Form: a moment in brackets, then a block of indented facts on a job that starts or fails, or a line on one
that has finished. Moments are whole seconds without a zone. Lists of files are divided by commas; a name with
a comma in it is not recognised.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from longpole.exchange.snakemake_files import names

_MOMENT = re.compile(r"\[(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\]")
_START = re.compile(r"(?:local)?(?:rule|checkpoint) (\S+):")
_FACT = re.compile(r"(input|output|jobid|benchmark|wildcards|threads): (.*)")
_FINISHED = re.compile(r"Finished job(?:id:)? (\d+)\b.*")
_FAILED = re.compile(r"Error in rule (\S+):")
_LATEST_S = 1 << 32  # in the year 2106


@dataclass(slots=True)
class Try:
    """One start of a job; it failed, finished, or its end was not written."""

    start_ns: int | None
    end_ns: int | None = None
    failed: bool = False


@dataclass(slots=True)
class LoggedJob:
    """A job as a log has it."""

    rule: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    wildcards: str = ""
    threads: str = ""
    benchmark: str = ""
    tries: list[Try] = field(default_factory=list)


def read_log(text: str, zone: tzinfo | None = None) -> list[LoggedJob]:
    """Return the jobs of one invocation; lines that are none of this form are passed over."""
    reading = _Reading(zone)
    for line in text.splitlines():
        reading.take(line)
    reading.end_block()
    return list(reading.jobs.values())


class _Reading:
    """What has been read so far."""

    def __init__(self, zone: tzinfo | None) -> None:
        self.jobs: dict[str, LoggedJob] = {}
        self._zone = zone
        self._now_ns: int | None = None
        self._rule, self._failed = "", False
        self._facts: dict[str, str] = {}

    def take(self, line: str) -> None:
        words = line.strip()
        if moment := _MOMENT.fullmatch(words):
            self.end_block()
            self._now_ns = _nanoseconds(moment.group(1), self._zone)
        elif started := _START.fullmatch(words) or _FAILED.fullmatch(words):
            self.end_block()
            self._rule, self._failed = started.group(1), words.startswith("Error")
        elif finished := _FINISHED.fullmatch(words):
            self.end_block()
            self._end_try(finished.group(1), failed=False)
        elif self._rule and (fact := _FACT.fullmatch(words)):
            self._facts.setdefault(fact.group(1), fact.group(2))
        elif not line.startswith(" "):
            self.end_block()

    def end_block(self) -> None:
        """Take the facts of a block that has come to its end."""
        rule, facts = self._rule, self._facts
        self._rule, self._facts = "", {}
        number = facts.get("jobid", "")
        if not rule or not number:
            return
        if self._failed:
            self._end_try(number, failed=True)
            return
        job = self.jobs.setdefault(number, LoggedJob(rule))
        job.inputs, job.outputs = _files(facts.get("input", "")), _files(facts.get("output", ""))
        job.wildcards, job.threads = facts.get("wildcards", ""), facts.get("threads", "")
        job.benchmark = facts.get("benchmark", "")
        job.tries.append(Try(self._now_ns))

    def _end_try(self, number: str, *, failed: bool) -> None:
        job = self.jobs.get(number)
        if job is not None and job.tries and job.tries[-1].end_ns is None:
            job.tries[-1].end_ns, job.tries[-1].failed = self._now_ns, failed


def _files(text: str) -> tuple[str, ...]:
    return tuple(names(text.split(", "))) if text else ()


def _nanoseconds(text: str, zone: tzinfo | None) -> int | None:
    try:
        moment = datetime.strptime(text, "%a %b %d %H:%M:%S %Y")  # noqa: DTZ007  it gets its zone below
        moment = moment.replace(tzinfo=zone) if zone else moment.astimezone()
        seconds = int(moment.timestamp())
    except (ValueError, OverflowError, OSError):
        return None
    return seconds * 1_000_000_000 if 0 < seconds < _LATEST_S else None
