"""What the hooks cost, sharply: one recorded process takes turns with its hooks on and off.

Method: two runs of one program differ by several per cent on a shared machine, by where their memory lies and
what goes on beside them. So here a process stands against itself: for 6 ms its steps run with the hooks in
place, then with what they replaced put back, then so once more, the order rotated each round. A process gives
the ratio of the sums of its turns; beside it stands the median of its rounds, which single disturbances do
not move, but which misses what happens rarely. Bounds are those over processes; the control is the second
bare turn over the first. Each turn begins with steps that are not counted. To the hooks only the time of
their turns passes.

Leaves out: launcher and agent (``benchmarks/frameworks.py`` adds their CPU time, from whole runs), and what
the mere presence of our modules in memory may cost, which only whole runs can show.

    longpole record -- python -m benchmarks.turns train|infer --width N --steps N --seconds N
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from _thread import get_ident
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from benchmarks.processes import answer, longpole, module
from benchmarks.ratios import AGAIN, BASE, null_control, over_bare, summary
from longpole.record.hooks.loops import LOOPS

HOOKED = "longpole"
TURN_MS = 6.0
_NAMES = (BASE, HOOKED, AGAIN)
_TIMES = (
    "_start",
    "_fetch_at",
    "_forward_from",
    "_forward_end",
    "_backward_at",
    "_optimizer_at",
    "_stepped_at",
)
Figures = dict[str, Any]
Rounds = list[dict[str, float]]


class Switch:
    """Takes the hooks of this process off, and puts them on again; ``paused_ns`` is when they last worked.

    No class is changed for it, as Python would lose what it has cached of that class: without hooks, the
    model and the iterators of its loader are of classes of their own that have the methods as they were.
    """

    def __init__(self, workload: Any) -> None:
        """Find where the hooks are; steps have been taken already.

        Raises:
            ValueError: They are not there.
        """
        import torch
        from torch.utils.data import dataloader

        iterator: Any = dataloader._SingleProcessDataLoaderIter
        if not all(map(_is_hooked, (iterator.__next__, dataloader.DataLoader.__iter__))):
            raise ValueError("the hooks are not in place: is this process recorded?")
        self._model, self._loader = workload.model, workload.loader
        self._hooked = type(self._model)
        self._bare = _as_it_was(self._hooked, "__call__")
        self._bare_iterator = _as_it_was(iterator, "__next__")
        self._autograd: Any = torch.autograd
        self._backward: Any = None
        optimizers: Any = sys.modules["torch.optim.optimizer"]
        self._tables = optimizers._global_optimizer_pre_hooks, optimizers._global_optimizer_post_hooks
        self._entries: list[dict[Any, Any]] = [{}, {}]
        self.paused_ns = time.monotonic_ns()

    def batches(self, name: str) -> Iterator[Any]:
        """Return the batches of one epoch after another; each epoch begins when it is needed."""
        epoch = (lambda: self._loader) if name == HOOKED else self._bare_epoch
        return chain.from_iterable(iter(epoch, None))

    def _bare_epoch(self) -> Any:
        epoch = self._loader._get_iterator()
        epoch.__class__ = self._bare_iterator
        return epoch

    def off(self) -> None:
        """Put back what the hooks replaced."""
        self._model.__class__ = self._bare
        self._backward = self._autograd.backward
        self._autograd.backward = _unhooked(self._backward)
        for table, entries in zip(self._tables, self._entries, strict=True):
            entries.update(table)
            table.clear()

    def on(self) -> None:
        """Put the hooks in place as they were."""
        self._model.__class__ = self._hooked
        self._autograd.backward = self._backward
        for table, entries in zip(self._tables, self._entries, strict=True):
            table.update(entries)
            entries.clear()


def _is_hooked(method: Any) -> bool:
    return hasattr(method, "__wrapped__")


def _unhooked(method: Any) -> Any:
    while _is_hooked(method):
        method = method.__wrapped__
    return method


def _as_it_was(kind: type, method: str) -> Any:
    """Return a class like this one that has a method as it was before it was hooked."""
    return type(kind.__name__, (kind,), {method: _unhooked(getattr(kind, method))})


def take_turns(arguments: list[str], environment: dict[str, str], processes: int) -> Figures:
    """Let processes take turns, one after another; return what they come to.

    Raises:
        subprocess.CalledProcessError: A process failed.
    """
    command = [*longpole("record", "--"), *module("turns", *arguments)]
    found = [json.loads(answer(command, environment).splitlines()[-1]) for _ in range(processes)]
    sums = [one["sums"] for one in found]
    medians = [one["medians"] for one in found]
    return {
        "hooks": summary(over_bare(sums, HOOKED)),
        "null_control": summary(null_control(sums)),
        "hooks_median_turn": summary([one["hooks"] for one in medians]),
        "null_control_median_turn": summary([one["null_control"] for one in medians]),
        "processes": found,
    }


def main() -> None:
    """Take turns in this process, and print what they used."""
    options = _arguments()
    import torch

    from benchmarks.workloads import Peer, Workload, run_warm_up

    torch.set_num_threads(1)
    workload = Workload(options.kind, options.width)
    run_warm_up(workload, Peer(Path()))
    switch = Switch(workload)
    streams = {name: switch.batches(name) for name in _NAMES}
    gc.collect()
    rounds: Rounds = []
    end = time.monotonic() + options.seconds
    while len(rounds) < 2 or time.monotonic() < end:
        turn = len(rounds) % len(_NAMES)
        order = [*_NAMES[turn:], *_NAMES[:turn]]
        rounds.append({name: _turn(workload, streams[name], options.steps, name, switch) for name in order})
    print(json.dumps(_sum_up(rounds)))


def _turn(workload: Any, batches: Iterator[Any], steps: int, name: str, switch: Switch) -> float:
    """Take a turn; return microseconds of CPU time a step."""
    if name == HOOKED:
        _go_on(time.monotonic_ns() - switch.paused_ns)
    else:
        switch.off()
    for batch in islice(batches, 1 + steps // 8):
        workload.step(batch)
    began = time.process_time()
    for batch in islice(batches, steps):
        workload.step(batch)
    took = time.process_time() - began
    if name == HOOKED:
        switch.paused_ns = time.monotonic_ns()
    else:
        switch.on()
    return took / steps * 1e6


def _go_on(gap_ns: int) -> None:
    """Let the hooks go on where they were: to them, the time since their last turn has not passed."""
    loop: Any = LOOPS.known[get_ident()]
    loop.due_ns += gap_ns
    loop.events[:] = [(what, when + gap_ns, which) for what, when, which in loop.events]
    loop.fetches[:] = [when + gap_ns for when in loop.fetches]
    loop._parts[:] = [(part, start + gap_ns, end + gap_ns) for part, start, end in loop._parts]
    for name in _TIMES:
        if getattr(loop, name):
            setattr(loop, name, getattr(loop, name) + gap_ns)


def _sum_up(rounds: Rounds) -> Figures:
    return {
        "turns": len(rounds),
        "sums": {name: sum(one[name] for one in rounds) / len(rounds) for name in _NAMES},
        "medians": {
            "hooks": statistics.median(over_bare(rounds, HOOKED)),
            "null_control": statistics.median(null_control(rounds)),
        },
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=["train", "infer"])
    parser.add_argument("--width", type=int, default=256, help="width of the model")
    parser.add_argument("--steps", type=int, default=16, help="steps of a turn")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long to take turns")
    return parser.parse_args()


if __name__ == "__main__":
    main()
