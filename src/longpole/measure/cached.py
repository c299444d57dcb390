"""The page cache: what ``write`` takes and ``read`` gives as long as no disk is needed.

Method: a thread for each core, eight at most, writes a new file of its own in pieces of 1 MiB and reads it
back. The file is cut to nothing after each trial, before the kernel has brought much of it to the disk.
Counted are the bytes that the program hands over, as ``/proc/PID/io`` counts them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from longpole.measure.cache_sizes import free_memory
from longpole.measure.cores import workers
from longpole.measure.folder import nameless_file, remark_on, room
from longpole.measure.probe import LEAST_REPEATS, UnmeasurableError
from longpole.measure.together import Together
from longpole.units import show_bytes

PIECE = 1 << 20
_MOST_FILES = 8
_PIECES = 128
_LEAST_PIECES = 16


class Cached:
    """Files that are written to the page cache and read from it."""

    least = LEAST_REPEATS
    on_cores = True

    def __init__(self, folder: Path) -> None:
        """Open the files."""
        files = min(workers(), _MOST_FILES)
        most = min(room(folder, files * _LEAST_PIECES * PIECE), free_memory() // 8)
        self._pieces = min(_PIECES, most // files // PIECE)
        if self._pieces < _LEAST_PIECES:
            raise UnmeasurableError("There is too little free memory for a page cache.")
        self.remark = remark_on(folder)
        self._together = Together(files)
        self._files = [nameless_file(folder, 0) for _ in range(files)]
        self._buffers = [bytearray(os.urandom(PIECE)) for _ in range(files)]

    @property
    def how(self) -> str:
        """Say how much was written by how many."""
        return f"{len(self._files)} files of {show_bytes(self._pieces * PIECE)} at once, in the page cache"

    def trial(self) -> Mapping[str, float]:
        """Write new files and read them."""
        size = len(self._files) * self._pieces * PIECE
        try:
            written_s = self._together.seconds(self._works(os.pwritev))
            read_s = self._together.seconds(self._works(os.preadv))
        finally:
            for file in self._files:
                os.ftruncate(file, 0)
        return {"cached-write": size / written_s, "cached-read": size / read_s}

    def close(self) -> None:
        """Close the files, which takes them away."""
        self._together.close()
        for file in self._files:
            os.close(file)

    def _works(self, access: Callable[[int, list[bytearray], int], int]) -> list[Callable[[], None]]:
        def work(file: int, buffer: bytearray) -> Callable[[], None]:
            def all_pieces() -> None:
                for number in range(self._pieces):
                    if access(file, [buffer], number * PIECE) != PIECE:
                        raise OSError("a piece was cut short")

            return all_pieces

        return [work(file, buffer) for file, buffer in zip(self._files, self._buffers, strict=True)]
