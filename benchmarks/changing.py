"""Programs that can be changed in one way each, for predictions to be tested on: before and after.

python -m benchmarks.changing NAME before|after
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.unseen import Fetches, Fits, Hashes, Images

SPIN = "end = time.thread_time() + {s}\nwhile time.thread_time() < end: pass\n"
SLEEP = "time.sleep({s})\n"


@dataclass(frozen=True, slots=True)
class Training:
    """A training: how long a batch of eight takes to load, in sleep and on a core, and what else it does."""

    steps: int = 200
    width: int = 1024
    sleep_s: float = 0.0
    spin_s: float = 0.0
    workers: int = 0
    save_every: int = 0

    def run(self) -> None:
        """Train."""
        _train(self)

    def loading_s(self) -> float:
        """Return how long a batch takes to load by itself."""
        return self.sleep_s + self.spin_s


@dataclass(frozen=True, slots=True)
class Tasks:
    """Processes side by side: how long each takes, on a core and asleep."""

    spin_s: tuple[float, ...]
    at_once: int
    sleep_s: float = 0.0
    shell: bool = False

    def run(self) -> None:
        """Run them."""
        _side_by_side(self)


@dataclass(frozen=True, slots=True)
class Jobs:
    """Calls in a pool of joblib: how long each takes on a core."""

    spin_s: tuple[float, ...]
    at_once: int

    def run(self) -> None:
        """Run them."""
        from joblib import Parallel, delayed

        Parallel(n_jobs=self.at_once)(delayed(_spin)(one) for one in self.spin_s)


Program = Training | Tasks | Jobs | Images | Fits | Hashes | Fetches


@dataclass(frozen=True, slots=True)
class Pair:
    """A program before and after a change, and which kind of change that is."""

    kind: str
    before: Program
    after: Program


# What the replay was developed on.
DEVELOPED_ON = {
    "workers, asleep": Pair("more workers", Training(sleep_s=0.04), Training(sleep_s=0.04, workers=2)),
    "workers, on a core": Pair("more workers", Training(spin_s=0.03), Training(spin_s=0.03, workers=1)),
    "loader": Pair("faster loader", Training(sleep_s=0.045), Training(sleep_s=0.015)),
    "tasks on cores": Pair("fewer in parallel", Tasks((1.5,) * 12, 4), Tasks((1.5,) * 12, 2)),
    "tasks in shells": Pair(
        "fewer in parallel", Tasks((0.8,) * 16, 4, 0.8, shell=True), Tasks((0.8,) * 16, 2, 0.8, shell=True)
    ),
    "files": Pair("balanced input", Tasks((1.0, 2.0, 1.0, 8.0), 4), Tasks((3.0,) * 4, 4)),
    "jobs": Pair("balanced input", Jobs((1.0, 1.0, 1.0, 7.0), 2), Jobs((2.5,) * 4, 2)),
    "checkpoints": Pair("no checkpoints", Training(width=2048, save_every=4), Training(width=2048)),
    "sleepers": Pair("doubled slots", Tasks((0.05,) * 24, 2, 1.0), Tasks((0.05,) * 24, 4, 1.0)),
    "half asleep": Pair("doubled slots", Tasks((0.6,) * 20, 1, 0.6), Tasks((0.6,) * 20, 2, 0.6)),
}

# What it was not developed on: recorded for the first time when it was done.
HELD_OUT = {
    "images": Pair("more workers", Images(passes=6), Images(passes=6, workers=2)),
    "light images": Pair("faster loader", Images(passes=9), Images(passes=3)),
    "fits": Pair("fewer in parallel", Fits(times=24), Fits(times=24, at_once=2)),
    "hashes": Pair("balanced input", Hashes((900,) * 5 + (7500,)), Hashes((2000,) * 6)),
    "saved images": Pair("no checkpoints", Images(save_every=4), Images()),
    "fetches": Pair("doubled slots", Fetches(), Fetches(at_once=4)),
}
SETS = {"developed-on": DEVELOPED_ON, "held-out": HELD_OUT}
PAIRS = {**DEVELOPED_ON, **HELD_OUT}


def _spin(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def _side_by_side(tasks: Tasks) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "task.py")
        spin, sleep = SPIN.format(s="float(sys.argv[1])"), SLEEP.format(s=tasks.sleep_s)
        file.write_text(f"import sys, time\n{spin}{sleep}")
        command = ["xargs", "-P", str(tasks.at_once), "-n", "1"]
        task = [sys.executable, "-S", str(file)]
        command += ["sh", "-c", f"{' '.join(task)} $0; true"] if tasks.shell else task
        lines = "\n".join(str(one) for one in tasks.spin_s)
        subprocess.run(command, input=lines, text=True, check=True)


def _train(training: Training) -> None:
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    class Slow(Dataset[Any]):
        def __len__(self) -> int:
            return training.steps * 8

        def __getitem__(self, index: int) -> Any:
            _spin(training.spin_s / 8)
            time.sleep(training.sleep_s / 8)
            return torch.full((512,), float(index % 7)), index % 10

    torch.set_num_threads(1)
    torch.manual_seed(0)
    width = training.width
    model = nn.Sequential(
        nn.Linear(512, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
    )
    optimizer, loss = torch.optim.SGD(model.parameters(), lr=1e-3), nn.CrossEntropyLoss()
    loader = DataLoader(Slow(), batch_size=8, num_workers=training.workers)
    with TemporaryDirectory() as folder:
        for number, (images, labels) in enumerate(loader):
            optimizer.zero_grad()
            loss(model(images), labels).backward()
            optimizer.step()
            if training.save_every and number % training.save_every == 0:
                torch.save(model.state_dict(), os.path.join(folder, "model.pt"))


if __name__ == "__main__":
    pair = PAIRS[sys.argv[1]]
    (pair.after if sys.argv[2] == "after" else pair.before).run()
