"""What the hooks cost within one process: blocks of steps with them and without, taking turns.

Method: three blocks a round (without, with, without again), the order rotated; each begins with steps that
are not counted, so that the hooks have chosen what to note of a step. Prints the ratio of the block with
hooks to the mean of those without, and the control, as JSON. Both sides share one process, its memory layout
and the moment, so that far less noise is left than between processes. Leaves out: launcher and agent (the
ring is written and never read), and the looks at all modules that the hooks take now and then.

    python -m benchmarks.inside train|infer [--width N] [--seconds S]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import torch
from torch.utils.data import DataLoader

from benchmarks.ratios import AGAIN, BASE, null_control, over_bare, summary
from benchmarks.workloads import KINDS, Workload
from longpole.record.client.phases import start_recording
from longpole.record.hooks.applying import install, uninstall

HOOKED = "hooks"
# More than the 32 steps after which the hooks choose, and enough for Python to learn changed classes anew.
SETTLING_STEPS = {"train": 40, "infer": 120}
BLOCK_STEPS = {"train": 50, "infer": 400}


def main() -> None:
    """Measure one workload."""
    options = _arguments()
    torch.set_num_threads(1)
    workload = Blocks(options.kind, options.width)
    end = time.monotonic() + options.seconds
    rounds: list[dict[str, float]] = []
    in_memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=in_memory if in_memory.is_dir() else None) as folder:
        start_recording(folder)
        workload.block()
        while len(rounds) < 2 or time.monotonic() < end:
            rounds.append(_round(workload, folder, len(rounds)))
        start_recording("")
    hooked, null = summary(over_bare(rounds, HOOKED)), summary(null_control(rounds))
    print(json.dumps({"hooks": hooked, "null_control": null, "rounds": rounds}))


class Blocks(Workload):
    """A workload that takes its steps in blocks."""

    def __init__(self, kind: str, width: int) -> None:
        """Make the workload."""
        super().__init__(kind, width)
        self._settling, self._steps = SETTLING_STEPS[kind], BLOCK_STEPS[kind]

    def block(self) -> float:
        """Take some steps that are not counted and then a block; return microseconds of CPU time a step."""
        for batch in islice(self.loader, self._settling):
            self.step(batch)
        began = time.process_time()
        for batch in islice(self.loader, self._steps):
            self.step(batch)
        return (time.process_time() - began) / self._steps * 1e6

    def hooked_block(self, folder: str) -> float:
        """Do the same with the hooks."""
        untouched = DataLoader.__iter__
        watch = install(folder)
        try:
            took = self.block()
            if DataLoader.__iter__ is untouched:
                sys.exit("The hooks for PyTorch were not applied, or have given up: nothing to measure.")
            return took
        finally:
            uninstall(watch)


def _round(workload: Blocks, folder: str, number: int) -> dict[str, float]:
    names = [BASE, HOOKED, AGAIN]
    turn = number % len(names)
    found = {}
    for name in [*names[turn:], *names[:turn]]:
        found[name] = workload.hooked_block(folder) if name == HOOKED else workload.block()
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--width", type=int, default=256, help="width of the model")
    parser.add_argument("--seconds", type=float, default=60.0, help="begin no further round after so long")
    return parser.parse_args()


if __name__ == "__main__":
    main()
