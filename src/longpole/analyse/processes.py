"""What processes used, one by one or summed by program.

A program is what a person would call it: an interpreter counts with the script it runs. The memory of a
program is that of its largest process; times and bytes are sums.
"""

from __future__ import annotations

from dataclasses import replace

from longpole.analyse.values import Row, number, plus, whole, word
from longpole.model.columns import Columns
from longpole.model.execution import Metric
from longpole.model.overview import Overview, ProcessUse

_INTERPRETERS = ("python", "bash", "sh", "dash", "zsh", "Rscript", "julia", "perl", "ruby", "node", "java")


def process_uses(processes: Columns, end_ns: int, begin_ns: int = 0) -> tuple[ProcessUse, ...]:
    """Return each process, the one with most CPU time first.

    Args:
        processes: Columns ``name``, ``command``, ``start_ns``, ``end_ns`` and one per metric of totals.
        end_ns: Until when a process without an end was there.
        begin_ns: When the run began: the time that a process was there before is not of the run.
    """
    uses = [_use(row, begin_ns, end_ns) for row in processes.records()]
    return tuple(sorted(uses, key=lambda use: (-(use.cpu_s or 0.0), -use.wall_s)))


def by_program(uses: tuple[ProcessUse, ...]) -> tuple[ProcessUse, ...]:
    """Return the processes summed by program, in the same order."""
    programs: dict[str, list[ProcessUse]] = {}
    for use in uses:
        programs.setdefault(program_of(use), []).append(use)
    sums = [_sum(program, some) for program, some in programs.items()]
    return tuple(sorted(sums, key=lambda use: (-(use.cpu_s or 0.0), -use.wall_s)))


def summed_beyond(overview: Overview, most: int) -> Overview:
    """Return an overview whose processes are summed by program if there are more than ``most``."""
    if len(overview.process_list) <= most:
        return overview
    return replace(overview, process_list=by_program(overview.process_list))


def program_of(use: ProcessUse) -> str:
    """Return what a person would call the program of a process.

    Examples:
        >>> program_of(ProcessUse("python3", "/usr/bin/python3 -u src/fit.py --lr 1", 1, 1.0, 1.0, 1, 1, 1))
        'python3 fit.py'
        >>> program_of(ProcessUse("gzip", "/bin/gzip -k z", 1, 1.0, 1.0, 1, 1, 1))
        'gzip'
    """
    return program_called(use.name, use.command)


def program_called(name: str, command: str) -> str:
    """Return what a person would call a program with this name and command line."""
    words = command.split()
    program = words[0].rpartition("/")[2] if words else ""
    if not program or program.startswith("["):
        return name or "?"
    if not program.startswith(_INTERPRETERS):
        return program
    for at, argument in enumerate(words[1:], start=1):
        if argument in ("-c", "-m"):
            module = words[at + 1] if argument == "-m" and at + 1 < len(words) else ""
            return f"{program} {argument} {module}".rstrip()
        if not argument.startswith("-"):
            return f"{program} {argument.rpartition('/')[2]}"
    return program


def _use(row: Row, begin_ns: int, end_ns: int) -> ProcessUse:
    start, end = whole(row["start_ns"]), whole(row["end_ns"])
    wall = 0 if start is None else max(0, (end_ns if end is None else end) - max(start, begin_ns))
    cpu = plus([number(row[Metric.CPU_USER]), number(row[Metric.CPU_SYSTEM])])
    return ProcessUse(
        name=word(row["name"]),
        command=word(row["command"]),
        count=1,
        wall_s=wall / 1e9,
        cpu_s=None if cpu is None else cpu / 1e9,
        peak_memory_bytes=whole(row[Metric.PEAK_MEMORY]),
        read_bytes=whole(row[Metric.READ]),
        written_bytes=whole(row[Metric.WRITTEN]),
    )


def _sum(program: str, some: list[ProcessUse]) -> ProcessUse:
    if len(some) == 1:
        return some[0]
    read, written = plus([use.read_bytes for use in some]), plus([use.written_bytes for use in some])
    return replace(
        some[0],
        command=program,
        count=len(some),
        wall_s=sum(use.wall_s for use in some),
        cpu_s=plus([use.cpu_s for use in some]),
        peak_memory_bytes=max(
            (use.peak_memory_bytes for use in some if use.peak_memory_bytes is not None), default=None
        ),
        read_bytes=None if read is None else round(read),
        written_bytes=None if written is None else round(written),
    )
