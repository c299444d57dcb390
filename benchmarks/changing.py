"""Programs that can be changed in one way each, for predictions to be tested on: before and after.

python -m benchmarks.changing NAME before|after
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

STEPS = 60
SPIN = "import sys, time\nend = time.process_time() + {s}\nwhile time.process_time() < end: pass\n"
SLEEP = "import time\ntime.sleep({s})\n"


def workers(*, changed: bool) -> None:
    """Load in the training process, or beside it."""
    _train(load_s=0.03, workers=2 if changed else 0)


def loader(*, changed: bool) -> None:
    """Load slowly, or three times as fast."""
    _train(load_s=0.01 if changed else 0.03)


def checkpoint(*, changed: bool) -> None:
    """Save the model every fifth step, or never."""
    _train(load_s=0.0, save_every=0 if changed else 5)


def fewer(*, changed: bool) -> None:
    """Compute four at a time, or two."""
    _side_by_side(SPIN.format(s=1.0), 12, 2 if changed else 4)


def slots(*, changed: bool) -> None:
    """Wait two at a time, or four."""
    _side_by_side(SLEEP.format(s=0.8), 16, 4 if changed else 2)


def balance(*, changed: bool) -> None:
    """Give one worker most of the work, or all the same."""
    sizes = [2.0] * 4 if changed else [0.8, 1.2, 1.0, 5.0]
    with Pool(4) as pool:
        pool.map(time.sleep, sizes, chunksize=1)


CHANGES = {
    "more workers": workers,
    "faster loader": loader,
    "fewer in parallel": fewer,
    "balanced input": balance,
    "no checkpoints": checkpoint,
    "doubled slots": slots,
}


def _side_by_side(program: str, count: int, at_once: int) -> None:
    lines = "\n".join(str(number) for number in range(count))
    with TemporaryDirectory() as folder:
        file = Path(folder, "task.py")
        file.write_text(program)
        command = ["xargs", "-P", str(at_once), "-n", "1", sys.executable, "-S", str(file)]
        subprocess.run(command, input=lines, text=True, check=True)


def _train(load_s: float, workers: int = 0, save_every: int = 0) -> None:
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    class Slow(Dataset[Any]):
        def __len__(self) -> int:
            return STEPS * 8

        def __getitem__(self, index: int) -> Any:
            time.sleep(load_s / 8)
            return torch.full((512,), float(index % 7)), index % 10

    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 10)
    )
    optimizer, loss = torch.optim.SGD(model.parameters(), lr=1e-3), nn.CrossEntropyLoss()
    with TemporaryDirectory() as folder:
        for number, (images, labels) in enumerate(DataLoader(Slow(), batch_size=8, num_workers=workers)):
            optimizer.zero_grad()
            loss(model(images), labels).backward()
            optimizer.step()
            if save_every and number % save_every == 0:
                torch.save(model.state_dict(), os.path.join(folder, "model.pt"))


if __name__ == "__main__":
    CHANGES[sys.argv[1]](changed=sys.argv[2] == "after")
