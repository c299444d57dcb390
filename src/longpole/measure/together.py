"""Threads that work at the same time: for calls that let go of Python's lock while they work."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

Work = Callable[[], object]


class Together:
    """Threads that begin at once; what they do is over when the last of them is done."""

    def __init__(self, threads: int) -> None:
        """Have so many threads ready."""
        self._pool = ThreadPoolExecutor(threads)

    def seconds(self, works: Sequence[Work]) -> float:
        """Do all of it, each in a thread; return the seconds that took. Raises what one of them raised."""
        begun = time.perf_counter_ns()
        futures = [self._pool.submit(work) for work in works]
        errors = [future.exception() for future in futures]
        took_s = (time.perf_counter_ns() - begun) / 1e9
        for error in errors:
            if error is not None:
                raise error
        return took_s

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
