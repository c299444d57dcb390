"""The disk: writes and reads of one file past the page cache (O_DIRECT), several in flight.

Method: four threads write and read blocks of 4 MiB at their own places in a file of up to 512 MB, as large
as is written in a third of a second. A write ends with ``fdatasync``. Where O_DIRECT is refused, written
data is flushed and dropped from the page cache before it is read, as far as the kernel follows that advice.
What the disk or the host of a virtual machine keeps in caches of its own is not seen: reads may come from
there. Random accesses are left out.
"""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

from longpole.measure.folder import nameless_file, remark_on, room
from longpole.measure.probe import LEAST_REPEATS
from longpole.measure.together import Together
from longpole.units import Bytes, show_bytes

IN_FLIGHT = 4
BLOCK = 4 << 20
MOST = 512_000_000
_LEAST = 64_000_000
_FILL_S = 0.3

Access = Callable[[int, list[mmap.mmap], int], int]


class Disk:
    """A file that is written and read again, past the page cache."""

    least = LEAST_REPEATS
    on_cores = True

    def __init__(self, folder: Path) -> None:
        """Write the file: as large as a third of a second permits."""
        most = min(room(folder, _LEAST), MOST)
        self._together = Together(IN_FLIGHT)
        self._buffers = [_random_block() for _ in range(IN_FLIGHT)]
        self._file, self._direct = _opened(folder, self._buffers[0])
        self.remark = remark_on(folder)
        if not self._direct:
            self.remark = f"{self.remark} O_DIRECT is refused in {folder}.".strip()
        try:
            self._bytes = self._fill(most)
        except OSError:
            self.close()
            raise

    @property
    def how(self) -> str:
        """Say how much was written and read, and by which way."""
        way = "O_DIRECT" if self._direct else "flushed and dropped from the page cache"
        return f"{show_bytes(self._bytes)}, {IN_FLIGHT} in flight, {way}"

    def trial(self) -> Mapping[str, float]:
        """Write it once, and read it once."""
        return {"disk-write": self._bytes / self._write_s(), "disk-read": self._bytes / self._read_s()}

    def close(self) -> None:
        """Close the file, which takes it away."""
        self._together.close()
        os.close(self._file)

    def _fill(self, most: Bytes) -> Bytes:
        begun, size, step = time.perf_counter(), 0, IN_FLIGHT * BLOCK
        while size + step <= most and (time.perf_counter() - begun < _FILL_S or size < _LEAST // 2):
            size += self._each(os.pwritev, size, size + step)
        os.fdatasync(self._file)
        return size

    def _write_s(self) -> float:
        begun = time.perf_counter()
        self._each(os.pwritev, 0, self._bytes)
        os.fdatasync(self._file)
        return time.perf_counter() - begun

    def _read_s(self) -> float:
        if not self._direct:
            os.posix_fadvise(self._file, 0, 0, os.POSIX_FADV_DONTNEED)
        begun = time.perf_counter()
        self._each(os.preadv, 0, self._bytes)
        return time.perf_counter() - begun

    def _each(self, access: Access, begin: int, end: int) -> Bytes:
        """Write or read a part of the file, an equal piece by each thread."""
        share = (end - begin) // IN_FLIGHT
        edges = pairwise(range(begin, end + 1, share))
        works = [
            self._piece(access, buffer, *edge) for buffer, edge in zip(self._buffers, edges, strict=True)
        ]
        self._together.seconds(works)
        return end - begin

    def _piece(self, access: Access, buffer: mmap.mmap, begin: int, end: int) -> Callable[[], None]:
        def work() -> None:
            for offset in range(begin, end, BLOCK):
                if access(self._file, [buffer], offset) != BLOCK:
                    raise OSError(f"a block at {offset} was cut short")

        return work


def _opened(folder: Path, block: mmap.mmap) -> tuple[int, bool]:
    """Return a new file, and whether it can be written to past the page cache."""
    try:
        file = nameless_file(folder, os.O_DIRECT)
    except OSError:
        return nameless_file(folder, 0), False
    try:
        os.pwritev(file, [block], 0)
    except OSError:
        os.close(file)
        return nameless_file(folder, 0), False
    return file, True


def _random_block() -> mmap.mmap:
    """Return a block in whole pages that no disk can compress."""
    block = mmap.mmap(-1, BLOCK)
    block.write(os.urandom(BLOCK))
    return block
