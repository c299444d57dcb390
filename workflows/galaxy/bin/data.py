"""Pictures as a model takes them: lists and labels, decoding, batches; and files that are written whole.

Batches come in two ways. ``Loaded`` decodes every picture in every epoch, in the process that trains: so
did the published programs. ``Resident`` decodes once, on all cores of the job, and keeps the pictures as
bytes in memory: on the device, if they fit.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import multiprocessing
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

PARAMETERS: dict[str, type] = {
    "body_rate": float, "head_rate": float, "transferred": int, "decays": bool, "width": float, "batch": int,
}  # fmt: skip
# Batches that only go forward are larger: nothing is kept for the way back.
FORWARD_BATCH = 128
# What may be taken of all memory, by the processes of a program together, and of what is free just now.
_SHARE, _FREE_SHARE = 0.7, 0.9
_sharing = 1
# Of 255 levels: a picture whose pixels differ by less than this is empty sky.
_DARK = 4.0
_LABEL = re.compile(r"_class_(\d+)_")

Batch = tuple[Tensor, Tensor]


class Unmarked:
    """A mark that nobody reads, where Longpole is not there."""

    def __init__(self, name: str, /, kind: str = "phase", **attributes: object) -> None:
        """Take what would be noted."""

    def __enter__(self) -> Unmarked:
        """Begin."""
        return self

    def __exit__(self, *failure: object) -> None:
        """End."""

    def note(self, **attributes: object) -> None:
        """Take what would be noted."""


try:
    from longpole import phase
except ImportError:
    phase = Unmarked  # type: ignore[assignment]


def names_in(path: Path) -> list[str]:
    """Return the names that a list has, one on each line.

    Raises:
        ValueError: It has none.
    """
    names = path.read_text(encoding="utf-8").splitlines()
    if not names:
        raise ValueError(f"{path} lists no pictures. A model cannot do without.")
    return names


def label_of(name: str) -> int:
    """Return the class that the name of a picture tells.

    Raises:
        ValueError: It tells none.
    """
    found = _LABEL.search(os.path.basename(name))
    if not found:
        raise ValueError(f"{name} tells no class. Pictures are called SPLIT_class_LABEL_NUMBER.jpg.")
    return int(found[1])


def pixels_of(name: str) -> np.ndarray:
    """Return a picture as bytes, by row, column and colour."""
    with Image.open(name) as picture:
        return np.asarray(picture.convert("RGB"))


def side_of(name: str) -> int:
    """Return how many pixels a picture has on each side."""
    with Image.open(name) as picture:
        return int(picture.width)


def whitened(pixels: Tensor) -> Tensor:
    """Return bytes as numbers of mean zero and deviation one in each channel of each picture.

    How bright a galaxy seems says little about it. A dark picture stays dark: its noise is not blown up.
    """
    numbers = pixels.float()
    numbers = numbers - numbers.mean((-2, -1), keepdim=True)
    deviation = numbers.square().mean((-2, -1), keepdim=True).sqrt()  # four times as fast as torch.std
    return numbers / (deviation + _DARK)


class Pictures(Dataset):
    """Pictures in files, decoded and normalised when they are asked for."""

    def __init__(self, names: Sequence[str]) -> None:
        """Take their names."""
        self.names = names

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.names)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        """Return one of them, and its class."""
        pixels = torch.from_numpy(pixels_of(self.names[index]).copy()).permute(2, 0, 1)
        return whitened(pixels.contiguous()), label_of(self.names[index])


class Loaded:
    """Batches that a DataLoader makes anew in every epoch: in this process, or in some workers."""

    def __init__(self, names: Sequence[str], batch: int, device: torch.device, workers: int = 0) -> None:
        """Take names of pictures, how many make a batch, where batches are to be, and who loads them."""
        self.pictures, self.count, self.device = Pictures(names), len(names), device
        self.workers = workers
        self.batch = min(batch, self.count)

    def __len__(self) -> int:
        """Return how many whole batches there are."""
        return self.count // self.batch

    def shuffled(self, seed: int) -> Iterator[Batch]:
        """Give whole batches in an order by chance; what is left over waits for another order."""
        order = order_of(self.count, seed).tolist()
        yield from self._batches(sampler=order, drop_last=True)

    def in_order(self) -> Iterator[Batch]:
        """Give all pictures, in the order of their names."""
        yield from self._batches()

    def _batches(self, **how: Any) -> Iterator[Batch]:  # noqa: ANN401  what a DataLoader takes
        # A generator of its own: the loader draws from it, and chance in the model stays what it was.
        how |= {"generator": torch.Generator(), "num_workers": self.workers}
        for pictures, labels in DataLoader(self.pictures, self.batch, **how):
            yield pictures.to(self.device), labels.to(self.device)


class Resident:
    """Batches of what was made ready once and stays in memory, by row, column and channel."""

    def __init__(self, ready: Tensor, labels: Tensor, batch: int, device: torch.device) -> None:
        """Take what batches are cut from; it moves to the device if there is room for it."""
        where = device if fits(ready.nbytes, device) else ready.device
        self.ready, self.labels, self.device = ready.to(where), labels.to(where), device
        self.count, self.batch = len(labels), min(batch, len(labels))

    def __len__(self) -> int:
        """Return how many whole batches there are."""
        return self.count // self.batch

    def shuffled(self, seed: int) -> Iterator[Batch]:
        """Give whole batches in an order by chance: the order that ``Loaded`` takes."""
        order = order_of(self.count, seed).to(self.ready.device)
        for n in range(len(self)):
            chosen = order[n * self.batch : (n + 1) * self.batch]
            yield self._on_device(self.ready[chosen], self.labels[chosen])

    def in_order(self) -> Iterator[Batch]:
        """Give all, in the order of their names."""
        for parts in zip(self.ready.split(FORWARD_BATCH), self.labels.split(FORWARD_BATCH), strict=True):
            yield self._on_device(*parts)

    def through(self, function: Callable[[Tensor], Tensor]) -> Resident:
        """Return batches of what a function makes of these."""
        made, first = torch.empty(0), 0
        for batch, _ in self.in_order():
            part = function(batch).permute(0, 2, 3, 1)
            if not first:
                made = part.new_empty((self.count, *part.shape[1:]))
            made[first : first + len(part)] = part
            first += len(part)
        return Resident(made, self.labels, self.batch, self.device)

    def _on_device(self, ready: Tensor, labels: Tensor) -> Batch:
        """Return a batch as models take it: by channel, row and column; in memory nothing moves."""
        return ready.to(self.device).permute(0, 3, 1, 2), labels.to(self.device)


Batches = Loaded | Resident


def order_of(count: int, seed: int) -> Tensor:
    """Return an order by chance."""
    return torch.randperm(count, generator=torch.Generator().manual_seed(seed))


def decoded(names: Sequence[str], cores: int) -> tuple[Tensor, Tensor]:
    """Return all pictures as bytes, and their classes; so many processes decode into memory that they share.

    Raises:
        ValueError: They are not all of one size.
    """
    first = pixels_of(names[0])
    shared = mmap.mmap(-1, len(names) * first.nbytes)
    ready = np.frombuffer(shared, np.uint8).reshape(len(names), *first.shape)

    def fill(part: int) -> None:
        for n in range(part, len(names), cores):
            pixels = pixels_of(names[n])
            if pixels.shape != first.shape:
                raise ValueError(f"{names[n]} is of another size than {names[0]}. Crop them alike.")
            ready[n] = pixels

    with phase("decode", pictures=len(names)):
        for _ in side_by_side(fill, range(cores)):
            pass
    return torch.from_numpy(ready), torch.tensor([label_of(name) for name in names])


def side_by_side(work: Callable[[int], Any], numbers: Sequence[int]) -> Iterator[tuple[int, Any]]:
    """Give what work makes of each number, in their order; it is done in forked processes, all at once.

    Raises:
        ValueError: One of them has failed.
    """
    fork, running = multiprocessing.get_context("fork"), []
    for number in numbers:
        ours, theirs = fork.Pipe(duplex=False)
        process = fork.Process(target=_answer, args=(work, number, theirs), daemon=True)
        process.start()
        theirs.close()
        running.append((number, process, ours))
    for number, process, ours in running:
        try:
            answer, complaint = ours.recv()
        except EOFError:
            process.join()
            answer, complaint = None, f"process {number} ended with exit code {process.exitcode}."
        if complaint:
            raise ValueError(complaint)
        yield number, answer


def _answer(work: Callable[[int], Any], number: int, theirs: Connection) -> None:
    try:
        theirs.send((work(number), ""))
    except (OSError, ValueError) as error:
        theirs.send((None, str(error) or type(error).__name__))


def fits(count_bytes: int, device: torch.device) -> bool:
    """Return whether so much may be kept in the memory of a device, beside what is there."""
    free, whole = torch.cuda.mem_get_info(device) if device.type == "cuda" else _memory_here()
    return bool(count_bytes < min(free * _FREE_SHARE, whole * _SHARE / _sharing))


def share_memory_with(processes: int) -> None:
    """Take no more than a fair part of the memory from now on: others do the same meanwhile."""
    global _sharing  # noqa: PLW0603  one fact about this process
    _sharing = processes


def _memory_here() -> tuple[int, int]:
    """Return how much memory is free, and how much there is."""
    with open("/proc/meminfo", encoding="ascii") as lines:
        kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return kilobytes["MemAvailable"] * 1024, kilobytes["MemTotal"] * 1024


def device_of(word: str) -> torch.device:
    """Return the device that is meant: a GPU for ``auto``, if there is one.

    Raises:
        ValueError: A GPU is asked for, and there is none.
    """
    there = word != "cpu" and torch.cuda.is_available()
    if word == "cuda" and not there:
        raise ValueError("there is no GPU that PyTorch can use. Say --device cpu.")
    return torch.device("cuda" if there else "cpu")


def use_cores(count: int) -> None:
    """Compute with so many threads: no more than the job has cores.

    Raises:
        ValueError: There are none.
    """
    if count < 1:
        raise ValueError(f"--cores is {count}; it must be above zero.")
    torch.set_num_threads(count)


def identity_of(names: dict[str, list[str]], **settings: object) -> str:
    """Return a text that differs where pictures or settings do: nobody goes on from what others left."""
    pictures = {
        split: [(os.path.basename(name), os.path.getsize(name)) for name in each]
        for split, each in names.items()
    }
    told = json.dumps([pictures, {key: str(value) for key, value in settings.items()}], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def stamp_of(path: Path | None) -> str:
    """Return what tells a file from others, its size and a checksum; nothing if there is none."""
    if path is None:
        return ""
    size = checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            size, checksum = size + len(block), zlib.crc32(block, checksum)
    return f"{size} {checksum}"


def read_parameters(path: Path) -> dict[str, Any]:
    """Return what a search has found.

    Raises:
        ValueError: The file says something else.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {name: kind(found[name]) for name, kind in PARAMETERS.items()}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} does not hold the parameters of a search. Search anew.") from error


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place, then put it there: a kill leaves the old one or the new one."""
    unfinished = path.with_name(f"{path.name}.part")
    write(unfinished)
    os.replace(unfinished, path)


def save_state(path: Path, state: dict[str, Any], identity: str) -> None:
    """Keep what can be gone on from."""
    write_whole(path, lambda part: torch.save({**state, "identity": identity}, part))


def read_tensors(path: Path) -> dict[str, Any]:
    """Return what a file of tensors holds; PyTorch itself would not notice a flipped bit in it.

    Raises:
        Exception: It is not there, not whole, or no such file.
    """
    with zipfile.ZipFile(path) as parts:
        if spoilt := parts.testzip():
            raise zipfile.BadZipFile(f"its part {spoilt} is damaged")
    return dict(torch.load(path, map_location="cpu", weights_only=True))


def load_state(path: Path, identity: str) -> dict[str, Any]:
    """Return what was kept of the same settings; nothing, with a word about it, if that cannot be had."""
    try:
        state = read_tensors(path)
        if state["identity"] == identity:
            return state
        reason = "it is of other settings"
    except FileNotFoundError:
        reason = "it is not there"
    except Exception as error:  # noqa: BLE001  a damaged file fails in whatever way its bytes make it
        reason = f"it is damaged ({type(error).__name__})"
    print(f"{path}: {reason}: starting fresh", file=sys.stderr, flush=True)
    return {}
