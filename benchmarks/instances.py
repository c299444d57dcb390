"""WfFormat 1.5 instances of any size, made from a seed, for tests and benchmarks.

Each task begins when all before it have ended, a slot is free, and a gap has passed; of several that could,
the one with the lowest number. Written straight to a file, a line for each task: nothing is kept but numbers
and names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

TYPES = ("split", "map", "filter", "join", "sort", "merge", "plot")
BEGAN = np.datetime64("2026-11-01T00:00:00", "ms")
MS = 1000
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Executions:
    """When each task began after the first could, and how long it ran, in milliseconds."""

    starts_ms: Whole
    runtimes_ms: Whole


def write_instance(path: Path, tasks: int, edges_each: int, seed: int = 0) -> int:
    """Write a random graph in layers; return how many edges it has.

    Layers have about as many tasks as there are layers. Each task but those of the first layer depends on
    ``edges_each`` tasks of the layer before.
    """
    rng = np.random.default_rng(seed)
    width = min(tasks, max(edges_each, round(tasks**0.5)))
    afters = np.repeat(np.arange(width, tasks), edges_each)
    firsts = rng.integers(width, size=tasks - width)
    strides = rng.integers(1, max(2, width // max(edges_each, 1) + 1), size=tasks - width)
    turns = np.arange(edges_each) * strides[:, None]
    places = (firsts[:, None] + turns) % width
    befores = ((np.arange(width, tasks) // width - 1)[:, None] * width + places).ravel()
    runtimes_ms = np.rint(MS * rng.lognormal(1.0, 1.0, tasks)).astype(np.int64)
    gaps_ms = np.rint(MS * rng.lognormal(-2.0, 0.5, tasks)).astype(np.int64)
    befores = befores.astype(np.int64)
    followers = _by_owner(befores, afters, tasks)
    starts_ms = _starts_ms(list(followers), runtimes_ms, gaps_ms, slots=max(1, width // 2))
    types = np.arange(tasks) // width % len(TYPES)
    _write(path, befores, afters, types, Executions(starts_ms, runtimes_ms))
    return len(afters)


def write_chain(path: Path, tasks: int) -> int:
    """Write tasks of which each depends on the one before; return how many edges there are."""
    every = np.arange(tasks)
    executions = Executions(every * 600, np.full(tasks, 500))
    _write(path, every[:-1], every[1:], every % len(TYPES), executions)
    return tasks - 1


def _starts_ms(followers: list[list[int]], runtimes_ms: Whole, gaps_ms: Whole, slots: int) -> Whole:
    left = np.bincount(np.array(list(chain(*followers)), np.int64), minlength=len(followers)).tolist()
    ready = [at for at, count in enumerate(left) if not count]
    runtimes, gaps = runtimes_ms.tolist(), gaps_ms.tolist()
    starts = [0] * len(followers)
    running: list[tuple[int, int]] = []
    now = 0
    while ready or running:
        while ready and len(running) < slots:
            at = heappop(ready)
            starts[at] = now + gaps[at]
            heappush(running, (starts[at] + runtimes[at], at))
        now, at = heappop(running)
        for after in followers[at]:
            left[after] -= 1
            if not left[after]:
                heappush(ready, after)
    return np.array(starts, np.int64)


def _write(path: Path, befores: Whole, afters: Whole, types: Whole, executions: Executions) -> None:
    words = types.tolist()
    names = [f'"{TYPES[kind]}_{number:07d}"' for number, kind in enumerate(words)]
    with path.open("w", encoding="ascii", buffering=1 << 20) as out:
        out.write('{"name": "made", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [\n')
        specified = zip(names, _lists(afters, befores, names), _lists(befores, afters, names), strict=True)
        _write_lines(
            out,
            (
                f'{{"name": {name}, "id": {name}, "parents": [{before}], "children": [{after}]}}'
                for name, before, after in specified
            ),
        )
        makespan = int((executions.starts_ms + executions.runtimes_ms).max()) / MS
        out.write(f'], "files": []}}, "execution": {{"makespanInSeconds": {makespan:.3f}, ')
        out.write(f'"executedAt": "{BEGAN}+00:00", "tasks": [\n')
        _write_lines(out, _executed(names, executions))
        out.write("]}}}\n")


def _executed(names: list[str], executions: Executions) -> Iterator[str]:
    moments = np.datetime_as_string(BEGAN + executions.starts_ms.astype("timedelta64[ms]")).tolist()
    runtimes = (executions.runtimes_ms / MS).tolist()
    for name, moment, runtime in zip(names, moments, runtimes, strict=True):
        took = f'"runtimeInSeconds": {runtime}, "coreCount": 1'
        yield f'{{"id": {name}, "executedAt": "{moment}+00:00", {took}}}'


def _lists(owners: Whole, members: Whole, names: list[str]) -> Iterator[str]:
    """Yield the names of the members of each owner, with commas between them."""
    for some in _by_owner(owners, members, len(names)):
        yield ", ".join([names[member] for member in some])


def _by_owner(owners: Whole, members: Whole, count: int) -> Iterator[list[int]]:
    """Yield the members of each owner."""
    order = np.argsort(owners, kind="stable")
    ordered = members[order].tolist()
    start = 0
    for end in np.cumsum(np.bincount(owners, minlength=count)).tolist():
        yield ordered[start:end]
        start = end


def _write_lines(out: TextIO, lines: Iterator[str]) -> None:
    out.write(next(lines))
    out.writelines(f",\n{line}" for line in lines)
