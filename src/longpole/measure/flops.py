"""FLOPs of the CPU: products of FP64 matrices by numpy, on all cores we may use.

Method: a product of two n by n matrices is 2 n^3 FLOP; n is such that a product takes about a third of a
second. A BLAS with threads of its own gets one product at a time; one without (or held to one by
OMP_NUM_THREADS) one for each core: whichever is faster is kept. What numpy's BLAS cannot reach is left out:
another one (MKL, BLIS) may be faster on this processor.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from longpole.measure.cache_sizes import free_memory
from longpole.measure.cores import workers
from longpole.measure.probe import LEAST_REPEATS, UnmeasurableError
from longpole.measure.together import Together, Work

TRIAL_S = 0.3
_FIRST, _LARGEST = 512, 16384
_MEMORY_SHARE = 8


class Flops:
    """Products of matrices, one at a time or one for each core."""

    least = LEAST_REPEATS
    on_cores = True
    remark = ""

    def __init__(self) -> None:
        """Try both ways, and keep the faster one."""
        self._threads = workers()
        self._together = Together(self._threads)
        one = self._sized(1)
        many = self._sized(self._threads) if self._threads > 1 else one
        self._works, self._flop = max(one, many, key=self._rate)

    @property
    def how(self) -> str:
        """Say how many products there were at a time."""
        return f"FP64 matrix products by numpy, {len(self._works)} at a time"

    def trial(self) -> Mapping[str, float]:
        """Multiply once."""
        return {"flops": self._rate((self._works, self._flop))}

    def close(self) -> None:
        """Let threads and matrices go."""
        self._together.close()
        self._works = ()

    def _rate(self, chosen: tuple[tuple[Work, ...], float]) -> float:
        works, flop = chosen
        return flop / self._together.seconds(works)

    def _sized(self, products: int) -> tuple[tuple[Work, ...], float]:
        """Return products to do at once, of matrices that take about as long as a trial should."""
        small = _products(products, _FIRST)
        self._rate(small)  # the first starts the threads of the BLAS
        rate = self._rate(small)
        return _products(
            products, fitting(rate * TRIAL_S / products, free_memory() // _MEMORY_SHARE // products)
        )


def fitting(flop: float, memory_bytes: int) -> int:
    """Return the size of matrices whose product is so many FLOP, if three of them fit into memory.

    Examples:
        >>> fitting(2e9, 10**9), fitting(2e12, 10**9)
        (960, 6400)
    """
    if memory_bytes < 3 * 8 * _FIRST**2:
        raise UnmeasurableError("There is too little memory for matrices.")
    wanted = min((flop / 2) ** (1 / 3), (memory_bytes / 24) ** 0.5, _LARGEST)
    return max(_FIRST, int(wanted) // 64 * 64)


def _products(number: int, size: int) -> tuple[tuple[Work, ...], float]:
    return tuple(_product(size) for _ in range(number)), 2.0 * size**3 * number


def _product(size: int) -> Work:
    left: NDArray[np.float64] = np.full((size, size), 1.0 / size)
    right, result = left + 1.0, np.empty_like(left)
    return lambda: np.matmul(left, right, out=result)
