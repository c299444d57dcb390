"""WfFormat 1.5 instances of any size, made from a seed, for tests and benchmarks.

Written straight to a file, a line for each task: nothing is kept but numbers and names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

TYPES = ("split", "map", "filter", "join", "sort", "merge", "plot")
Whole = NDArray[np.int64]
Real = NDArray[np.float64]


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
    runtimes = np.round(rng.lognormal(1.0, 1.0, tasks), 3)
    layers = np.arange(tasks) // width
    makespan = np.zeros(int(layers[-1]) + 1)
    np.maximum.at(makespan, layers, runtimes)
    _write(path, befores.astype(np.int64), afters, layers % len(TYPES), runtimes, float(makespan.sum()))
    return len(afters)


def write_chain(path: Path, tasks: int) -> int:
    """Write tasks of which each depends on the one before; return how many edges there are."""
    every = np.arange(tasks)
    runtimes = np.full(tasks, 0.5)
    _write(path, every[:-1], every[1:], every % len(TYPES), runtimes, float(runtimes.sum()))
    return tasks - 1


def _write(path: Path, befores: Whole, afters: Whole, types: Whole, runtimes: Real, makespan: float) -> None:
    words = types.tolist()
    names = [f'"{TYPES[kind]}_{number:07d}"' for number, kind in enumerate(words)]
    parents = _lists(afters, befores, names)
    children = _lists(befores, afters, names)
    with path.open("w", encoding="ascii", buffering=1 << 20) as out:
        out.write('{"name": "made", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [\n')
        specified = zip(names, parents, children, strict=True)
        _write_lines(
            out,
            (
                f'{{"name": {name}, "id": {name}, "parents": [{before}], "children": [{after}]}}'
                for name, before, after in specified
            ),
        )
        out.write(f'], "files": []}}, "execution": {{"makespanInSeconds": {makespan:.3f}, ')
        out.write('"executedAt": "2026-11-01T00:00:00+00:00", "tasks": [\n')
        ran = zip(names, runtimes.tolist(), strict=True)
        _write_lines(
            out, (f'{{"id": {name}, "runtimeInSeconds": {runtime}, "coreCount": 1}}' for name, runtime in ran)
        )
        out.write("]}}}\n")


def _lists(owners: Whole, members: Whole, names: list[str]) -> Iterator[str]:
    """Yield the names of the members of each owner, with commas between them."""
    order = np.argsort(owners, kind="stable")
    ordered = members[order].tolist()
    start = 0
    for end in np.cumsum(np.bincount(owners, minlength=len(names))).tolist():
        yield ", ".join([names[member] for member in ordered[start:end]])
        start = end


def _write_lines(out: TextIO, lines: Iterator[str]) -> None:
    out.write(next(lines))
    out.writelines(f",\n{line}" for line in lines)
