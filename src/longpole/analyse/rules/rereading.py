"""Re-reading: the same files are read again and again, from storage.

Method: the bytes of data files, each as often as it was opened, are at least 3 times their size and at least
100 MB; and it was real reading: the run read twice their size from storage, or the critical path waits for
I/O by the kernel's account. The time of phases that are there to read, and the waiting of others, is less by
the share of bytes that had been opened before. An open need not read the whole file, and a phase that reads
may compute as well: the least is the waiting alone, less by what storage gave twice. Needs ``--files``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.figures import percent, seconds, size
from longpole.analyse.rules.lost import less, on_path_ns, without_nobody, worst_phase
from longpole.analyse.rules.measured import Numbers
from longpole.analyse.rules.reading import Files, data_files, reading_places, waiting

LEAST_TIMES = 3
LEAST_BYTES = 100_000_000
LEAST_STORAGE_TIMES = 2
LEAST_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Rereading:
    """The rule."""

    name: str = "re-reading"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield one suspicion if the critical path reads what was read before."""
        files = data_files(case)
        often = files.opened_bytes >= max(LEAST_BYTES, LEAST_TIMES * files.size_bytes)
        if not often or not files.size_bytes or not case.makespan_ns:
            return
        waits, least_ns = waiting(case), LEAST_SHARE * case.makespan_ns
        if not _from_storage(case, files) and on_path_ns(case, waits.accounted) < least_ns:
            return
        reads = _reading(case, waits.likely)
        if on_path_ns(case, reads) >= least_ns:
            yield _suspicion(self.name, case, files, reads)


RULE = Rereading()


def _from_storage(case: Case, files: Files) -> bool:
    return (case.overview.storage_read_bytes or 0) >= LEAST_STORAGE_TIMES * files.size_bytes


def _reading(case: Case, waits: Numbers) -> Numbers:
    """Return which share of each phase's own time is reading."""
    reads = waits.copy()
    reads[reading_places(case)] = 1.0
    return without_nobody(case, reads)


def _suspicion(rule: str, case: Case, files: Files, reads: Numbers) -> Suspicion:
    reading_ns = on_path_ns(case, reads)
    again = files.repeats
    return Suspicion(
        rule=rule,
        title="The same files are read again and again",
        phase=worst_phase(case, reads),
        evidence=(
            (
                f"{files.count:,} files of {size(files.size_bytes)} in all were opened {files.opens:,} times:"
                f" {size(files.opened_bytes)}, {files.opened_bytes / files.size_bytes:.1f} times their size."
            ),
            *_storage(case),
            (
                f"Reading takes {seconds(reading_ns)} of the critical path,"
                f" {percent(reading_ns / case.makespan_ns)} of the makespan."
            ),
        ),
        advice=(
            f"Read the {size(files.size_bytes)} once and keep them: in memory (a variable outside the loop,"
            " functools.cache, the dataset's own cache), in /dev/shm if several processes need them, or on"
            " the"
            " local disk of the host if they lie on the network; keep what was made of them rather than the"
            " raw"
            " bytes."
        ),
        change=less(reads, again),
        change_said=f"each file read once: {percent(again)} less time for reading",
        at_least=less(waiting(case).likely, _surely_again(case, files)),
    )


def _surely_again(case: Case, files: Files) -> float:
    """Return the share of bytes that surely were read before; half of what opens tell if storage does not."""
    storage_bytes = case.overview.storage_read_bytes or 0
    if storage_bytes <= files.size_bytes:
        return files.repeats / 2
    return min(files.repeats, 1.0 - files.size_bytes / storage_bytes)


def _storage(case: Case) -> Iterator[str]:
    if case.overview.storage_read_bytes is not None:
        yield f"The run read {size(case.overview.storage_read_bytes)} from storage."
