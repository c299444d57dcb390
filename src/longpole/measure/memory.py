"""Memory bandwidth: large copies by numpy, on all cores we may use at once.

Method: STREAM's Copy. Each thread copies an array of its own that it was the first to touch; all together
they are at least four times as large as the last-level caches, and at most a quarter of the free memory.
Counted as STREAM does: the bytes read and the bytes written, not what a processor reads before it writes.
Threads of one core may not saturate a node whose memory is faster than its cores can copy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from longpole.measure.cache_sizes import free_memory, last_level_cache
from longpole.measure.cores import workers
from longpole.measure.probe import LEAST_REPEATS, UnmeasurableError
from longpole.measure.together import Together
from longpole.units import Bytes, show_bytes

TRIAL_S = 0.15
_LEAST = 256 << 20
_CACHES = 4
_MEMORY_SHARE = 4


class Memory:
    """Copies from and to arrays that no cache holds."""

    least = LEAST_REPEATS
    on_cores = True

    def __init__(self) -> None:
        """Allocate, touch, and try how many sweeps a trial should have."""
        self._threads = workers()
        self._bytes, self.remark = array_bytes(last_level_cache(), free_memory())
        self._together = Together(self._threads)
        each = self._bytes // 2 // self._threads // 8
        self._pairs = [(np.empty(each), np.empty(each)) for _ in range(self._threads)]
        self._together.seconds([_touch(*pair) for pair in self._pairs])
        self._sweeps = 1
        self._sweeps = max(1, math.ceil(TRIAL_S / self._seconds()))

    @property
    def how(self) -> str:
        """Say how much was copied by how many."""
        return f"copies over {show_bytes(self._bytes)} by {self._threads} threads, read and written bytes"

    def trial(self) -> Mapping[str, float]:
        """Copy once."""
        moved = 2 * sum(source.nbytes for source, _ in self._pairs) * self._sweeps
        return {"memory": moved / self._seconds()}

    def close(self) -> None:
        """Let the arrays go."""
        self._together.close()
        self._pairs = []

    def _seconds(self) -> float:
        return self._together.seconds([_copy(*pair, self._sweeps) for pair in self._pairs])


def array_bytes(caches: Bytes, free: Bytes) -> tuple[Bytes, str]:
    """Return how large all arrays together should be, and a remark if caches may hold much of them.

    Examples:
        >>> array_bytes(32 << 20, 16 << 30)
        (268435456, '')
    """
    wanted, most = max(_CACHES * caches, _LEAST), free // _MEMORY_SHARE
    if most < caches:
        raise UnmeasurableError(
            f"There is too little free memory ({show_bytes(free)}) to get past the caches."
        )
    if most < wanted:
        return most, f"The arrays ({show_bytes(most)}) are not four times the caches ({show_bytes(caches)})."
    return wanted, ""


def _touch(*arrays: np.ndarray) -> Callable[[], None]:
    def touch() -> None:
        for array in arrays:
            array.fill(1.0)

    return touch


def _copy(source: np.ndarray, target: np.ndarray, sweeps: int) -> Callable[[], None]:
    def copy() -> None:
        for _ in range(sweeps):
            np.copyto(target, source)

    return copy
