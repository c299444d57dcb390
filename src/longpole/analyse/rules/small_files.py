"""Small files: very many of them are opened, and the run waits for that.

Method: at least 1,000 opens of data files of less than 256 KiB on average, and waiting for I/O on the
critical path (``reading`` tells how that is found). Packed into few large files, the same bytes are read one
after the other: that is taken to go at 150 MB/s, and the rest of the waiting to go away. Which file a phase
waited for is not known, so half of it is the least. Needs a recording with ``--files``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.figures import percent, seconds, size
from longpole.analyse.rules.lost import less, on_path_ns, worst_phase
from longpole.analyse.rules.reading import Files, Waiting, data_files, waiting

LEAST_OPENS = 1_000
SMALL_BYTES = 256 * 1024
LEAST_SHARE = 0.02
SEQUENTIAL_BYTES_PER_S = 150e6


@dataclass(frozen=True, slots=True)
class SmallFiles:
    """The rule."""

    name: str = "small-files"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield one suspicion if the critical path waits for many small files."""
        files = data_files(case)
        if files.opens < LEAST_OPENS or files.mean_bytes >= SMALL_BYTES or not case.makespan_ns:
            return
        waits = waiting(case)
        if on_path_ns(case, waits.likely) >= LEAST_SHARE * case.makespan_ns:
            yield _suspicion(self.name, case, files, waits)


RULE = SmallFiles()


def _suspicion(rule: str, case: Case, files: Files, waits: Waiting) -> Suspicion:
    waited_ns = on_path_ns(case, waits.likely)
    packed_ns = min(waited_ns, files.opened_bytes / SEQUENTIAL_BYTES_PER_S * 1e9)
    gone = 1.0 - packed_ns / waited_ns
    return Suspicion(
        rule=rule,
        title="Very many small files",
        phase=worst_phase(case, waits.likely),
        evidence=(
            (
                f"{files.count:,} files were opened {files.opens:,} times; they are {size(files.mean_bytes)}"
                " large on"
                " average."
            ),
            (
                f"The critical path waited for I/O for {seconds(waited_ns)},"
                f" {percent(waited_ns / case.makespan_ns)} of the makespan."
            ),
            (
                f"The same {size(files.opened_bytes)} read one after the other at 150 MB/s take"
                f" {seconds(packed_ns)}."
            ),
        ),
        advice=(
            "Pack the files into few large ones and read these from begin to end: tar shards of 100 MB to 1"
            " GB"
            " (WebDataset), HDF5, Zarr, Parquet or LMDB; or copy one archive to the local disk of the host"
            " and"
            " unpack it there before the run."
        ),
        change=less(waits.likely, gone),
        change_said=f"{seconds(packed_ns)} of waiting for files instead of {seconds(waited_ns)}",
        at_least=less(waits.likely, gone / 2),
        at_most=less(waits.most),
    )
