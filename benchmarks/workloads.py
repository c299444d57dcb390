"""The workloads recorders are measured on: training and inference of a small CNN in plain PyTorch, 1 thread.

Run as a process of its own: it warms up, takes its steps, and prints a line of JSON for each epoch and one
for the whole loop: the CPU time of this process (all threads, and children that have ended) from the first
step to the last, with what a peer needs to put its findings in order; and, where it is recorded, what
launcher and agent used meanwhile. Starting and ending are not in it, neither of Python nor of a recorder.
Garbage is collected before a loop that is timed: a full collection of what the imports left takes 0.1 s, and
a few objects decide whether it falls into a loop of seconds. Collections that a loop itself causes are in it.

    python -m benchmarks.workloads train|infer|calibrate [--variant NAME] [--steps N] [--width N] ...
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from benchmarks.peers import VARIANTS, Peer
from benchmarks.processes import recorder_cpu_s

IMAGE = (3, 16, 16)
CLASSES = 10
WIDTH_UNIT = 16
WARM_UP_STEPS = 100
# After the loop, so that whoever samples from outside sees what is held at its end.
REST_S = 0.5


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of workload: images in a batch, channels, steps of an epoch, and how long a step should take."""

    batch: int
    channels: int
    epoch_steps: int
    target_ms: float


KINDS = {"train": Kind(12, 16, 100, 6.0), "infer": Kind(2, 8, 500, 0.6)}


class Network(nn.Module):
    """Four blocks of convolution, normalisation and ReLU, and three linear layers.

    The width is that of the linear layers: with it the time of a step grows smoothly, with channels it jumps.
    """

    def __init__(self, channels: int, width: int) -> None:
        """Make the layers; the last two blocks have twice the channels."""
        super().__init__()
        counts = [IMAGE[0], channels, channels, 2 * channels, 2 * channels]
        blocks = [_block(*pair) for pair in pairwise(counts)]
        self.blocks = nn.Sequential(*blocks[:2], nn.MaxPool2d(2), *blocks[2:], nn.AdaptiveAvgPool2d(2))
        sizes = [8 * channels, width, width]
        linear = [nn.Sequential(nn.Linear(*pair), nn.ReLU()) for pair in pairwise(sizes)]
        self.head = nn.Sequential(*linear, nn.Linear(width, CLASSES))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return a score for each class."""
        scores: torch.Tensor = self.head(self.blocks(images).flatten(1))
        return scores


class Workload:
    """A ``model`` with its data: ``loader`` gives the batches of one epoch, ``step`` takes one of them."""

    def __init__(self, kind: str, width: int) -> None:
        """Make the model and its data; both are the same each time."""
        torch.manual_seed(0)
        batch, self.epoch_steps = KINDS[kind].batch, KINDS[kind].epoch_steps
        images = torch.randn(batch * self.epoch_steps, *IMAGE)
        labels = torch.randint(CLASSES, (len(images),))
        self.loader = DataLoader(TensorDataset(images, labels), batch_size=batch, shuffle=kind == "train")
        make = training_step if kind == "train" else inference_step
        self.model = Network(KINDS[kind].channels, width)
        self.step = make(self.model)


def training_step(model: nn.Module) -> Callable[[Any], None]:
    """Return one step of training."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    loss = nn.CrossEntropyLoss()

    def step(batch: Any) -> None:
        images, labels = batch
        optimizer.zero_grad()
        loss(model(images), labels).backward()
        optimizer.step()

    return step


def inference_step(model: nn.Module) -> Callable[[Any], None]:
    """Return one step of inference."""
    model.eval()

    def step(batch: Any) -> None:
        with torch.no_grad():
            model(batch[0])

    return step


def run(workload: Workload, peer: Peer, epochs: int) -> float:
    """Take the steps of some epochs, and say after each how many were taken.

    Returns the CPU time of this process at the last step's end, before a peer puts its findings in order.
    """
    step = peer.step(workload.step)
    with peer.loop():
        for number in range(epochs):
            with peer.epoch():
                for batch in workload.loader:
                    step(batch)
            _say(steps=(number + 1) * workload.epoch_steps, at=time.monotonic())
        return _cpu_s()


def measure(workload: Workload, peer: Peer, steps: int, launcher: int) -> dict[str, float]:
    """Take so many steps, to the nearest whole epoch, and return what they used."""
    epochs = max(1, round(steps / workload.epoch_steps))
    began, recorder_s, cpu_s = time.monotonic(), _recorder_s(launcher), _cpu_s()
    stepped_s = run(workload, peer, epochs)
    peer.flush()
    return {
        "cpu_s": _cpu_s() - cpu_s,
        "stepping_s": stepped_s - cpu_s,
        "recorder_s": _recorder_s(launcher) - recorder_s,
        "steps": epochs * workload.epoch_steps,
        "began": began,
        "ended": time.monotonic(),
    }


def step_ms(kind: str, width: int) -> float:
    """Return the CPU time of one step of so wide a model, at the median of blocks of ten."""
    workload, times = Workload(kind, width), []
    for _ in range(20):
        began = time.process_time()
        for batch in islice(workload.loader, 10):
            workload.step(batch)
        times.append((time.process_time() - began) * 1000 / 10)
    return statistics.median(times[4:])


def calibrate(kind: str) -> dict[str, float]:
    """Return the width with which a step takes about as long as it should, by bisection."""
    low, high, target = 1, 65, KINDS[kind].target_ms
    tried: dict[int, float] = {}
    while high - low > 1:
        middle = (low + high) // 2
        width = middle * WIDTH_UNIT
        tried[width] = step_ms(kind, width)
        low, high = (middle, high) if tried[width] < target else (low, middle)
    width = min(tried, key=lambda width: abs(tried[width] - target))
    return {"width": width, "step_ms": tried[width], "target_ms": target}


def main() -> None:
    """Calibrate, or measure one workload."""
    options = _arguments()
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    if options.kind == "calibrate":
        _say(**{kind: calibrate(kind) for kind in KINDS})
        return
    variant = VARIANTS[options.variant]
    workload, peer = Workload(options.kind, options.width), variant.peer(options.folder)
    launcher = os.getppid() if variant.recorded else 0
    with peer.watching():
        # A peer's first use is dear; it counts where memory is asked for, and only there.
        run_warm_up(workload, Peer(options.folder) if options.fresh else peer)
        if not options.fresh:  # it would put off the next collection, and with it the end of a peer's garbage
            gc.collect()
        _say(**measure(workload, peer, options.steps, launcher))
        time.sleep(REST_S if options.fresh else 0)


def run_warm_up(workload: Workload, peer: Peer) -> None:
    """Take some steps that are not counted."""
    step = peer.step(workload.step)
    with peer.loop(), peer.epoch():
        for batch in islice(workload.loader, WARM_UP_STEPS):
            step(batch)


def _block(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU())


def _cpu_s() -> float:
    """Return the CPU time of this process, all threads, and of its children that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def _recorder_s(launcher: int) -> float:
    return recorder_cpu_s(launcher) if launcher else 0.0


def _say(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=[*KINDS, "calibrate"])
    parser.add_argument("--variant", choices=VARIANTS, default="bare", help="what watches the loop")
    parser.add_argument("--steps", type=int, default=100, help="steps to take, after the warm-up")
    parser.add_argument("--width", type=int, default=256, help="width of the model")
    parser.add_argument("--folder", type=Path, default=Path(), help="where a peer writes what it finds")
    parser.add_argument("--fresh", action="store_true", help="let a peer begin with the loop, unwarmed")
    return parser.parse_args()


if __name__ == "__main__":
    main()
