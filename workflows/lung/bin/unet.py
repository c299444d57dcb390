"""The U-Net of the lung workflow, what it reads, how it is judged and how it learns.

All of this is in one file, as it travels with four jobs as their one code file. The encoder is ResNet34 with
torchvision's names, so that its published weights can be loaded. Chance enters by a seed alone: weights begin
with it, and the order of the pictures follows from it and the number of the epoch.
"""

from __future__ import annotations

import argparse
import operator
import os
import pickle
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

try:
    from longpole import phase
except ImportError:  # the image of a container need not have it

    def phase(*_: str, **__: object) -> AbstractContextManager[None]:  # type: ignore[no-redef]
        """Mark nothing."""
        return nullcontext()


Item = TypeVar("Item")


# ------------------------------------------------------------------------------------------ the model

MODEL = "U-Net (ResNet34)"
_BLOCKS = (3, 4, 6, 3)
_CHANNELS = (64, 128, 256, 512)
_DECODED = (256, 128, 64, 32, 16)
# What grey ones among the pictures that published weights were trained with have, in the mean.
_GREY_MEAN, _GREY_DEVIATION = 0.449, 0.226


class Twice(nn.Module):
    """Two convolutions, each with a batch norm."""

    def __init__(self, before: int, after: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)

    def twice(self, x: Tensor) -> Tensor:
        """Return what both make of the input, not cut off at zero yet."""
        return self.bn2(self.conv2(functional.relu(self.bn1(self.conv1(x)))))


class Block(Twice):
    """Two convolutions and a way around them."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__(before, after, stride)
        self.downsample: nn.Module | None = None
        if stride != 1 or before != after:
            shrunk = nn.Conv2d(before, after, 1, stride, bias=False)
            self.downsample = nn.Sequential(shrunk, nn.BatchNorm2d(after))

    def forward(self, x: Tensor) -> Tensor:
        """Return what both ways make of the input."""
        return functional.relu(self.twice(x) + (x if self.downsample is None else self.downsample(x)))


class Encoder(nn.Module):
    """ResNet34 without its last layer."""

    def __init__(self, width: float) -> None:
        super().__init__()
        self.channels = [max(1, round(each * width)) for each in (_CHANNELS[0], *_CHANNELS)]
        self.conv1 = nn.Conv2d(3, self.channels[0], 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(self.channels[0])
        self.layer1, self.layer2, self.layer3, self.layer4 = (
            self._layer(level, number) for level, number in enumerate(_BLOCKS)
        )

    def _layer(self, level: int, number: int) -> nn.Sequential:
        before, after = self.channels[level], self.channels[level + 1]
        first = Block(before, after, 1 if level == 0 else 2)
        return nn.Sequential(first, *(Block(after, after, 1) for _ in range(number - 1)))

    def forward(self, x: Tensor) -> list[Tensor]:
        """Return what is seen at each level, from fine to coarse."""
        seen = [functional.relu(self.bn1(self.conv1(x)))]
        x = functional.max_pool2d(seen[0], 3, 2, 1)
        for layer in (self.layer1, self.layer2, self.layer3, self.layer4):
            x = layer(x)
            seen.append(x)
        return seen


class Decoder(Twice):
    """One level up: twice as large, together with what the encoder saw there."""

    def forward(self, x: Tensor, beside: Tensor | None) -> Tensor:
        """Return the level above."""
        x = functional.interpolate(x, scale_factor=2.0, mode="nearest")
        return functional.relu(self.twice(x if beside is None else torch.cat([x, beside], dim=1)))


class UNet(nn.Module):
    """Says of each pixel of grey pictures, N x 1 x H x W from 0 to 255, whether it is lung (above zero)."""

    def __init__(self, width: float) -> None:
        super().__init__()
        self.encoder = Encoder(width)
        seen = self.encoder.channels
        decoded = [max(4, round(each * width)) for each in _DECODED]
        beside = [seen[3], seen[2], seen[1], seen[0], 0]
        before = map(operator.add, [seen[4], *decoded[:-1]], beside)
        self.decoder = nn.ModuleList(map(Decoder, before, decoded))
        self.head = nn.Conv2d(decoded[-1], 1, 3, 1, 1)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, grey: Tensor) -> Tensor:
        """Return one number for each pixel."""
        x = (grey.float() / 255 - _GREY_MEAN) / _GREY_DEVIATION
        *beside, x = self.encoder(x.expand(-1, 3, -1, -1))
        for level, skip in zip(self.decoder, [*reversed(beside), None], strict=True):
            x = level(x, skip)
        return self.head(x)


def build(width: float, seed: int, weights: str = "") -> UNet:
    """Return a model that has learnt nothing yet, but for its encoder if there is a file of weights."""
    torch.manual_seed(seed)
    model = UNet(width)
    if weights:
        _take(model.encoder, weights)
    return model


def _take(encoder: Encoder, weights: str) -> None:
    try:
        found = torch.load(weights, map_location="cpu", weights_only=True)  # may be of an older format
        encoder.load_state_dict({name: value for name, value in found.items() if not name.startswith("fc.")})
    except DAMAGE as error:
        said = " ".join(str(error).split())
        sys.exit(f"{weights} does not hold torchvision's weights of ResNet34 at full width: {said[:300]}")


# ------------------------------------------------------------------------------------------ what it reads


def names_in(path: str) -> list[str]:
    """Return the names that a list has, one on each line."""
    return Path(path).read_text(encoding="utf-8").splitlines()


def pairs(images: Sequence[str], masks: Sequence[str]) -> list[tuple[str, str]]:
    """Return each picture with its mask: X_norm with X_mask, X_flip with X_mask_flip."""
    known = {}
    for mask in masks:
        stem, _, made = Path(mask).stem.rpartition("_mask")
        known[stem + (made or "_norm")] = mask
    missing = [image for image in images if Path(image).stem not in known]
    if missing or not images:
        sys.exit(f"{missing[0]} has no mask among those given." if missing else "There are no pictures.")
    return [(image, known[Path(image).stem]) for image in images]


def read_image(path: str) -> Tensor:
    """Return a prepared picture, 1 x H x W from 0 to 255."""
    with Image.open(path) as picture:
        return torch.from_numpy(np.array(picture.convert("L")))[None]


def read_mask(path: str, size: tuple[int, int]) -> Tensor:
    """Return a mask of 0 and 1, H x W as given: not 0 and 255, of which no Dice would be right."""
    with Image.open(path) as picture:
        resized = picture.convert("L").resize((size[1], size[0]), Image.Resampling.BOX)
    return torch.from_numpy((np.asarray(resized) >= 128).astype(np.uint8))[None]


def read_pair(pair: tuple[str, str]) -> tuple[Tensor, Tensor]:
    """Return a picture and its mask, which is as large."""
    image = read_image(pair[0])
    return image, read_mask(pair[1], (image.shape[1], image.shape[2]))


class FromFiles(Dataset[tuple[Tensor, Tensor]]):
    """Reads and resizes files when a batch is due, in the process that trains, as the published code does."""

    def __init__(self, found: Sequence[tuple[str, str]], batch: int, way: Way) -> None:
        self._found, self._batch, self._device = found, batch, way.device

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, number: int) -> tuple[Tensor, Tensor]:
        return read_pair(self._found[number])

    def batches(self, order: Sequence[int]) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield those of some numbers through a loader without workers."""
        for images, masks in DataLoader(self, batch_sampler=chunks(order, self._batch)):
            yield images.to(self._device), masks.to(self._device)


class InMemory:
    """Reads all files once, several at a time, and keeps them on the device, a byte for each pixel."""

    def __init__(self, found: Sequence[tuple[str, str]], batch: int, way: Way) -> None:
        self._batch = batch
        with phase("decode", pictures=len(found)), ThreadPoolExecutor(way.cores) as pool:
            images, masks = zip(*pool.map(read_pair, found), strict=True)
            self._images, self._masks = torch.stack(images).to(way.device), torch.stack(masks).to(way.device)

    def __len__(self) -> int:
        return len(self._images)

    def batches(self, order: Sequence[int]) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield those of some numbers, gathered on the device."""
        for chosen in torch.tensor(order, device=self._images.device).split(self._batch):
            yield self._images[chosen], self._masks[chosen]


Data = FromFiles | InMemory
Step = Callable[[Tensor, Tensor], Tensor]


def chunks(order: Sequence[Item], size: int) -> list[Sequence[Item]]:
    """Return a sequence in parts of a size, the last of which may be smaller."""
    return [order[at : at + size] for at in range(0, len(order), size)]


# ------------------------------------------------------------------------------------------ how it is judged


class Scores(NamedTuple):
    """How well predicted masks fit, as means over pictures."""

    dice: float
    iou: float
    accuracy: float


def scores_of(predicted: Tensor, truth: Tensor) -> Tensor:
    """Return Dice, IoU and accuracy for each of N masks, N x 3; two empty masks fit."""
    ours, true = predicted.flatten(1).bool(), truth.flatten(1).bool()
    both, either = (ours & true).sum(1).float(), (ours | true).sum(1).float()
    dice = torch.where(either > 0, 2 * both / (both + either).clamp(min=1), 1.0)
    iou = torch.where(either > 0, both / either.clamp(min=1), 1.0)
    return torch.stack([dice, iou, (ours == true).float().mean(1)], dim=1)


def mean_of(found: Sequence[Tensor]) -> Scores:
    """Return the means of scores of some batches."""
    dice, iou, accuracy = torch.cat(list(found)).mean(0).tolist()
    return Scores(dice, iou, accuracy)


def negative_dice(logits: Tensor, truth: Tensor) -> Tensor:
    """Return what is minimised: minus the Dice of all pixels of a batch, with probabilities for pixels."""
    chance, true = torch.sigmoid(logits.float()), truth.float()
    return -(2 * (chance * true).sum() + 1) / (chance.sum() + true.sum() + 1)


# ------------------------------------------------------------------------------------------ how it learns


class Variant(StrEnum):
    """How the work is done: as the published code does it, or as quickly as we know."""

    PUBLISHED = "published"
    TUNED = "tuned"


@dataclass(frozen=True)
class Way:
    """How and where a model is computed."""

    variant: Variant
    device: torch.device
    cores: int

    @property
    def is_tuned_gpu(self) -> bool:
        """Whether half precision pays."""
        return self.variant is Variant.TUNED and self.device.type == "cuda"

    def data(self, found: Sequence[tuple[str, str]], batch: int) -> Data:
        """Return pictures the way this variant reads them."""
        return (InMemory if self.variant is Variant.TUNED else FromFiles)(found, batch, self)

    def epoch(self, number: int) -> AbstractContextManager[object]:
        """Return what marks an epoch; a recording sees those over a ``DataLoader`` by itself."""
        return phase("epoch", kind="epoch", number=number) if self.variant is Variant.TUNED else nullcontext()

    def precision(self) -> AbstractContextManager[object]:
        """Return what computes in half precision where that pays."""
        if self.is_tuned_gpu:
            # Without its cache: copies of weights that a captured step has made would outlive the weights.
            return torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False)
        return nullcontext()


def way_of(variant: str, device: str, cores: int) -> Way:
    """Return how and where to compute; the same again gives the same, but for tuned runs on a GPU."""
    torch.set_num_threads(cores)
    if device == "cuda" and not torch.cuda.is_available():
        sys.exit("There is no CUDA device here. Choose --set device=cpu, or auto.")
    chosen = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
    way = Way(Variant(variant), torch.device(chosen), cores)
    torch.backends.cudnn.benchmark = way.is_tuned_gpu
    if chosen == "cuda" and not way.is_tuned_gpu:  # a CPU repeats itself anyway, and this loads much
        torch.use_deterministic_algorithms(True, warn_only=True)
    return way


class Learner:
    """A model, its optimizer, and how many epochs it has learnt."""

    def __init__(self, model: UNet, rate: float, way: Way) -> None:
        layout = torch.channels_last if way.variant is Variant.TUNED else torch.contiguous_format
        self.model = model.to(device=way.device, memory_format=layout)
        fast = {"fused": True, "capturable": True} if way.is_tuned_gpu else {}
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=rate, **fast)
        self.epochs = 0
        self._way = way
        self._step: Step = self.update

    def prepare(self, data: Data) -> None:
        """Make steps cheap to give to a GPU, if that is the way. Nothing may be restored from here on."""
        if self._way.is_tuned_gpu:
            self.model.train()
            self._step = Captured(self, *next(iter(data.batches(range(len(data))))))

    def learn(self, data: Data, seed: int) -> Scores:
        """Learn one epoch; return how well masks fitted while it did."""
        self.model.train()
        order = order_of(len(data), seed, self.epochs)
        with self._way.epoch(self.epochs):
            found = [self._step(images, masks) for images, masks in data.batches(order)]
            self.epochs += 1
            return mean_of(found)

    def update(self, images: Tensor, masks: Tensor) -> Tensor:
        """Learn from one batch; return how well its masks fitted."""
        with self._way.precision():
            logits = self.model(images)
        loss = negative_dice(logits, masks)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return scores_of(logits.detach() > 0, masks)

    def judge(self, data: Data) -> Scores:
        """Return how well masks fit."""
        self.model.eval()
        with torch.inference_mode(), self._way.precision():
            batches = data.batches(range(len(data)))
            return mean_of([scores_of(self.model(images) > 0, masks) for images, masks in batches])

    def state(self) -> dict[str, Any]:
        """Return all that is needed to go on."""
        return {
            "epochs": self.epochs,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epochs = state["epochs"]


class Captured:
    """A step as one CUDA graph: giving its many kernels to the GPU one by one takes longer than they do."""

    def __init__(self, learner: Learner, images: Tensor, masks: Tensor) -> None:
        """Capture a step with a batch like this one, and leave the learner as it was before."""
        self._learner, self._images, self._masks = learner, images.clone(), masks.clone()
        before = [(each, each.detach().clone()) for each in _changing(learner)]
        alone = torch.cuda.Stream()  # graphs of several learners may run at once, and must share nothing
        alone.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(alone):
            for _ in range(3):  # PyTorch and its libraries settle
                learner.update(self._images, self._masks)
        torch.cuda.current_stream().wait_stream(alone)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=alone):
            self._scores = learner.update(self._images, self._masks)
        _undo(learner, before)

    def __call__(self, images: Tensor, masks: Tensor) -> Tensor:
        """Take the step with another batch; with one of another size as it is."""
        if images.shape != self._images.shape:
            return self._learner.update(images, masks)
        self._images.copy_(images)
        self._masks.copy_(masks)
        self._graph.replay()
        return self._scores.clone()


def _changing(learner: Learner) -> list[Tensor]:
    """Return all that a step changes in place: weights, means, and what the optimizer remembers."""
    remembered = [each for state in learner.optimizer.state.values() for each in state.values()]
    return [*learner.model.parameters(), *learner.model.buffers(), *remembered]


@torch.no_grad()
def _undo(learner: Learner, before: list[tuple[Tensor, Tensor]]) -> None:
    """Take back what settling has changed; what was not there before is zero at a beginning."""
    known = {id(each) for each, _ in before}
    for each, value in before:
        each.copy_(value)
    for each in _changing(learner):
        if id(each) not in known:
            each.zero_()


def order_of(number: int, seed: int, epoch: int) -> list[int]:
    """Return the order of pictures in an epoch: the same for the same seed, whatever happened before."""
    chance = torch.Generator().manual_seed(seed * 100_003 + epoch)
    order: list[int] = torch.randperm(number, generator=chance).tolist()
    return order


# ------------------------------------------------------------------------------------------ what it keeps

# All that reading a file of weights can raise if it is not whole, or is none.
DAMAGE = (
    OSError, RuntimeError, pickle.UnpicklingError, EOFError, KeyError, ValueError, TypeError, AttributeError,
    NotImplementedError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def save(path: str, value: dict[str, Any]) -> None:
    """Write a file of weights; it is there whole or not at all."""
    part = f"{path}.part"
    torch.save(value, part)
    os.replace(part, path)


def load(path: str) -> dict[str, Any]:
    """Return what a file of weights holds; PyTorch itself would not notice a flipped bit in it.

    Raises:
        Exception: One of ``DAMAGE``: it is not there, not whole, or no such file.
    """
    with zipfile.ZipFile(path) as parts:
        if spoilt := parts.testzip():
            raise ValueError(f"its part {spoilt} is damaged")
    return dict(torch.load(path, map_location="cpu", weights_only=True))


class Checkpoint:
    """What an attempt leaves for the next one of the same setting.

    The published way writes it after every epoch, which costs much where epochs are short; the tuned way
    spends no more than a twentieth of its time on it.
    """

    def __init__(self, path: str, setting: dict[str, Any], variant: Variant) -> None:
        self._path, self._setting = path, setting
        self._share = 0.05 if variant is Variant.TUNED else 1.0
        self._due = time.monotonic()

    def load(self) -> dict[str, Any]:
        """Return what was left; nothing if there is none, or none that fits."""
        try:
            found = load(self._path)
            if found["setting"] == self._setting:
                return found
            reason = f"{self._path} is of another setting"
        except FileNotFoundError:
            reason = f"there is no {self._path}"
        except DAMAGE as error:
            reason = f"{self._path} cannot be read ({type(error).__name__})"
        say(f"{reason}: starting fresh")
        return {}

    @property
    def is_due(self) -> bool:
        """Whether it is time to keep what changes all the time."""
        return time.monotonic() >= self._due

    def save(self, value: dict[str, Any]) -> None:
        """Keep what the next attempt needs."""
        begin = time.monotonic()
        save(self._path, {**value, "setting": self._setting})
        end = time.monotonic()
        self._due = end + (end - begin) * (1 / self._share - 1)


def told_of(model: UNet, batch: int) -> dict[str, Any]:
    """Return what tables say of the model."""
    number = sum(each.numel() for each in model.parameters())
    return {"model": MODEL, "parameters": number, "model_bytes": 4 * number, "batch_size": batch}


def add_ways(parser: argparse.ArgumentParser) -> None:
    """Let programs be told how and where to compute."""
    parser.add_argument("--variant", choices=list(Variant), default="published")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--cores", type=int, default=1, help="how many it may use")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Let search and training be told the same in the same way."""
    add_ways(parser)
    parser.add_argument("--width", type=float, default=1.0, help="channels, as a part of ResNet34's")
    parser.add_argument("--weights", default="", help="torchvision's weights of ResNet34, to begin with")
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=10)


def stamp(names: Sequence[str]) -> int:
    """Return what tells these files from others, by names and sizes."""
    told = "\n".join(f"{name} {os.path.getsize(name)}" for name in names)
    return zlib.crc32(told.encode())


def content(path: str) -> int:
    """Return what tells the content of a file from another."""
    return zlib.crc32(Path(path).read_bytes())


def say(line: str) -> None:
    """Write a line for people."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
