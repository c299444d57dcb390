"""Streams through arrays that fit in no cache, on all cores, and says how many bytes that moves."""

import os
import sys
import threading
import time

import numpy as np

import longpole

LENGTH = 12_000_000
seconds = float(sys.argv[1])


def stream(until: float, counts: list[int]) -> None:
    """Add scaled numbers until it is time: each round writes one array, reads three and one of them again."""
    a, b, c = np.zeros(LENGTH), np.ones(LENGTH), np.ones(LENGTH)
    while time.monotonic() < until:
        np.multiply(c, 3.0, out=a)
        np.add(a, b, out=a)
        counts.append(5 * a.nbytes)


with longpole.phase("triad") as mark:
    counts: list[int] = []
    until = time.monotonic() + seconds
    cores = len(os.sched_getaffinity(0))
    threads = [threading.Thread(target=stream, args=(until, counts)) for _ in range(cores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    mark.note(memory_bytes=sum(counts))
