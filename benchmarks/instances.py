"""WfFormat 1.5 instances of any size, made from a seed, for tests and benchmarks.

Tasks begin in the order of their numbers: each when all before it have ended, a slot is free, and a gap has
passed. Written straight to a file, a line for each task: nothing is kept but numbers and names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heapreplace
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
    starts_ms = _starts_ms(_by_owner(afters, befores, tasks), runtimes_ms, gaps_ms, slots=width // 4 * 3)
    types = np.arange(tasks) // width % len(TYPES)
    _write(path, befores, afters, types, Executions(starts_ms, runtimes_ms))
    return len(afters)


def write_chain(path: Path, tasks: int) -> int:
    """Write tasks of which each depends on the one before; return how many edges there are."""
    every = np.arange(tasks)
    executions = Executions(every * 600, np.full(tasks, 500))
    _write(path, every[:-1], every[1:], every % len(TYPES), executions)
    return tasks - 1


def _starts_ms(befores: Iterator[list[int]], runtimes_ms: Whole, gaps_ms: Whole, slots: int) -> Whole:
    ends: list[int] = []
    starts: list[int] = []
    free = [0] * max(slots, 1)
    times = zip(runtimes_ms.tolist(), gaps_ms.tolist(), strict=True)
    for before, (runtime, gap) in zip(befores, times, strict=True):
        starts.append(max((ends[one] for one in before), default=0))
        starts[-1] = max(starts[-1], free[0]) + gap
        ends.append(starts[-1] + runtime)
        heapreplace(free, ends[-1])
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
