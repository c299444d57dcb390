"""Programs that the replay was not developed on, for predictions to be tested on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_FIT = """
import sys, numpy
from numpy.random import default_rng
rows = default_rng(int(sys.argv[1])).normal(size=(420, 420))
for _ in range(int(sys.argv[2])):
    numpy.linalg.svd(rows)
numpy.save(sys.argv[3], rows)
"""
_HASH = """
import hashlib, sys
digest = hashlib.sha256()
for _ in range(int(sys.argv[1])):
    digest.update(bytes(1 << 20))
"""
_FETCH = """
import hashlib, time
time.sleep({waits_s})
for _ in range({blocks}):
    hashlib.sha256(bytes(1 << 20)).digest()
"""


@dataclass(frozen=True, slots=True)
class Images:
    """A training on images that lie packed in files, and are turned and scaled so many times."""

    steps: int = 260
    passes: int = 3
    workers: int = 0
    save_every: int = 0

    def run(self) -> None:
        """Pack the images, and train."""
        with TemporaryDirectory() as folder:
            _pack(Path(folder))
            _train(self, Path(folder))

    def loading_s(self) -> float:
        """Return how long an image takes to load by itself: the median of many."""
        with TemporaryDirectory() as folder:
            _pack(Path(folder))
            took = sorted(_timed(self, Path(folder), number) for number in range(300))
            return took[len(took) // 2]


@dataclass(frozen=True, slots=True)
class Fits:
    """Decompositions, each a process that imports NumPy, started by xargs."""

    count: int = 14
    times: int = 9
    at_once: int = 4

    def run(self) -> None:
        """Fit them all."""
        with TemporaryDirectory() as folder:
            script = Path(folder, "fit.py")
            script.write_text(_FIT)
            lines = "\n".join(f"{number} {self.times} {folder}/{number}.npy" for number in range(self.count))
            command = ["xargs", "-P", str(self.at_once), "-L", "1", sys.executable, str(script)]
            one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
            subprocess.run(command, input=lines, text=True, check=True, env=one_thread)


@dataclass(frozen=True, slots=True)
class Hashes:
    """Files that make has hashed, two at a time; each so many megabytes."""

    megabytes: tuple[int, ...]
    at_once: int = 2

    def run(self) -> None:
        """Make them all."""
        with TemporaryDirectory() as folder:
            Path(folder, "hash.py").write_text(_HASH)
            names = [f"part{number}" for number in range(len(self.megabytes))]
            rules = [
                f"{name}:\n\t@{sys.executable} -S hash.py {size}\n"
                for name, size in zip(names, self.megabytes, strict=True)
            ]
            Path(folder, "Makefile").write_text(f"all: {' '.join(names)}\n" + "".join(rules))
            subprocess.run(["make", "-s", "-C", folder, "-j", str(self.at_once), "all"], check=True)


@dataclass(frozen=True, slots=True)
class Fetches:
    """Programs that wait for a server and check what came, started by threads."""

    count: int = 36
    waits_s: float = 0.8
    blocks: int = 120
    at_once: int = 2

    def run(self) -> None:
        """Fetch them all."""
        code = _FETCH.format(waits_s=self.waits_s, blocks=self.blocks)
        command = [sys.executable, "-S", "-c", code]
        with ThreadPoolExecutor(self.at_once) as threads:
            list(threads.map(lambda _: subprocess.run(command, check=True), range(self.count)))


def _pack(folder: Path) -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    for number in range(64):
        image = rng.integers(0, 32, (3, 96, 96), dtype=np.uint8)
        Path(folder, str(number)).write_bytes(zlib.compress(image.tobytes()))


def _load(images: Images, folder: Path, number: int) -> Any:
    import numpy as np

    packed = Path(folder, str(number % 64)).read_bytes()
    image = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(3, 96, 96).astype(np.float32)
    for _ in range(images.passes):
        image = np.ascontiguousarray(np.roll(image[:, ::-1], number % 5, axis=2))
        image = (image - image.mean(axis=(1, 2), keepdims=True)) / (image.std() + 1e-3)
    return image


def _timed(images: Images, folder: Path, number: int) -> float:
    began = time.perf_counter()
    _load(images, folder, number)
    return time.perf_counter() - began


def _train(images: Images, folder: Path) -> None:
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    class Packed(Dataset[Any]):
        def __len__(self) -> int:
            return images.steps * 16

        def __getitem__(self, index: int) -> Any:
            return torch.from_numpy(_load(images, folder, index)), index % 10

    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 5, stride=3), nn.ReLU(), nn.Conv2d(16, 64, 3, stride=2), nn.ReLU(),
        nn.Flatten(), nn.Linear(64 * 15 * 15, 256), nn.ReLU(), nn.Linear(256, 10),
    )  # fmt: skip
    optimizer, loss = torch.optim.Adam(model.parameters(), lr=1e-4), nn.CrossEntropyLoss()
    for number, (batch, labels) in enumerate(DataLoader(Packed(), batch_size=16, num_workers=images.workers)):
        optimizer.zero_grad()
        loss(model(batch), labels).backward()
        optimizer.step()
        if images.save_every and number % images.save_every == 0:
            torch.save([model.state_dict(), optimizer.state_dict()], Path(folder, "checkpoint.pt"))
