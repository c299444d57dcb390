"""Streams through arrays that fit in no cache, on all cores, and says how many bytes that moves."""

import os
import sys
import threading
import time

import numpy as np

import longpole

LENGTH = 4_000_000
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]


def stream(arrays: Arrays, until: float, counts: list[int]) -> None:
    """Add scaled numbers until it is time: each round reads and writes five arrays in all."""
    a, b, c = arrays
    while time.monotonic() < until:
        np.multiply(c, 3.0, out=a)
        np.add(a, b, out=a)
        counts.append(5 * a.nbytes)


# Memory that is touched for the first time has to be found first, which is another matter.
cores = len(os.sched_getaffinity(0))
places = [(np.zeros(LENGTH) + 1, np.ones(LENGTH), np.ones(LENGTH)) for _ in range(cores)]
with longpole.phase("triad") as mark:
    moved: list[int] = []
    end = time.monotonic() + float(sys.argv[1])
    threads = [threading.Thread(target=stream, args=(one, end, moved)) for one in places]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    mark.note(memory_bytes=sum(moved))
