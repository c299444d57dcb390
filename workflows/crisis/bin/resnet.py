"""The model of pictures: search its hyper-parameters, train it, and score posts with it.

    resnet.py search --images list.txt --out best.json
    resnet.py train --images list.txt --parameters best.json --model model.pth --loss l.png --accuracy a.png
    resnet.py infer --images list.txt --model model.pth --train train.csv --test test.csv --matrix matrix.png

Model: ResNet50 with torchvision's names, and a head 2048-1024-1. With ``--weights``, a state dict of
torchvision, its body is frozen and the head alone learns; without, the body learns too, from nothing.
Pictures are cut and mirrored by chance while it learns. A search learns from the training pictures and is
judged on the validation pictures. The scores that its best trial gave these travel with the parameters and
the weights, and are the validation pictures' scores in the end: a model that was trained on them could not
judge them fairly. Nothing looks at the test pictures before ``infer``.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import math
import os
import pickle
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

try:
    from longpole import phase
except ImportError:  # not everywhere; then nothing is marked

    def phase(*_: object, **__: object) -> contextlib.nullcontext[None]:  # type: ignore[no-redef]
        """Stand in for the marks of a recorder that is not here."""
        return contextlib.nullcontext()


# What each command reads and writes besides images, and what holds if nothing is said: the paper's numbers.
FILES = {
    "search": ("out",),
    "train": ("parameters", "model", "loss", "accuracy"),
    "infer": ("model", "train", "test", "matrix"),
}
DEFAULTS = {"batch": 8, "epochs": 5, "trials": 2, "side": 224, "seed": 10, "threads": 0}
CHOICES = {"rate": [1e-3, 1e-4, 1e-5]}
BLOCKS = (3, 4, 6, 3)
# What torchvision's weights were trained with.
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
PICTURES_ASKED = 64
Attempt = Callable[[list[dict[str, float]]], list[dict[str, Any]]]
# All that reading a file of PyTorch can raise if it is not whole, or is none.
DAMAGE = (
    OSError, RuntimeError, ValueError, LookupError, TypeError, AttributeError, EOFError,
    pickle.UnpicklingError, struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


# ----------------------------------------------------------------------------------- model


class Bottleneck(nn.Module):
    """Three convolutions, added to what came in."""

    def __init__(self, channels: int, inside: int, stride: int) -> None:
        """Take in so many channels, have fewer inside, give out four times these."""
        super().__init__()
        self.conv1 = nn.Conv2d(channels, inside, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(inside)
        self.conv2 = nn.Conv2d(inside, inside, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(inside)
        self.conv3 = nn.Conv2d(inside, 4 * inside, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * inside)
        self.downsample = None
        if stride > 1 or channels != 4 * inside:
            shortcut = nn.Conv2d(channels, 4 * inside, 1, stride, bias=False)
            self.downsample = nn.Sequential(shortcut, nn.BatchNorm2d(4 * inside))

    def forward(self, x: Tensor) -> Tensor:
        """Return what comes out."""
        found = torch.relu(self.bn1(self.conv1(x)))
        found = torch.relu(self.bn2(self.conv2(found)))
        return torch.relu(
            self.bn3(self.conv3(found)) + (x if self.downsample is None else self.downsample(x))
        )


class ResNet50(nn.Module):
    """A picture to one number: above zero, the post informs."""

    def __init__(self, width: float = 1.0, blocks: Sequence[int] = BLOCKS) -> None:
        """Have so much of the published number of channels, and so many blocks in each layer."""
        super().__init__()
        channels = int(64 * width)
        self.conv1 = nn.Conv2d(3, channels, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        for number, count in enumerate(blocks):
            inside, layers = int(64 * width) * 2**number, []
            for block in range(count):
                layers.append(Bottleneck(channels, inside, 2 if number and not block else 1))
                channels = 4 * inside
            setattr(self, f"layer{number + 1}", nn.Sequential(*layers))
        self.fc = nn.Sequential(nn.Linear(channels, channels // 2), nn.ReLU(), nn.Linear(channels // 2, 1))
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(module, Bottleneck):
                nn.init.zeros_(module.bn3.weight)  # blocks begin by letting through: learns sooner

    def body(self, pictures: Tensor) -> Tensor:
        """Return the features of pictures, bytes of red, green and blue."""
        mean, deviation = (
            pictures.new_tensor(each, dtype=torch.float).view(3, 1, 1) for each in (MEAN, DEVIATION)
        )
        x = self.maxpool(torch.relu(self.bn1(self.conv1((pictures.float() / 255 - mean) / deviation))))
        return self.layer4(self.layer3(self.layer2(self.layer1(x)))).mean((2, 3))

    def forward(self, x: Tensor) -> Tensor:
        """Return a number for each picture, or for its features if those are given."""
        return self.fc(x if x.dim() == 2 else self.body(x)).squeeze(1)


def load_body(model: ResNet50, path: Path) -> None:
    """Put torchvision's weights into the body."""
    try:
        given = torch.load(path, map_location="cpu", weights_only=True)
        body = {name: weight for name, weight in given.items() if not name.startswith("fc.")}
        head = {f"fc.{name}": weight for name, weight in model.fc.state_dict().items()}
        model.load_state_dict({**body, **head})
    except DAMAGE as error:
        why = first_line(error)
        raise ValueError(
            f"'{path}' does not hold torchvision's weights of a ResNet50 of this width ({why})"
        ) from error


def described(options: argparse.Namespace) -> dict[str, Any]:
    """Return what the marks of a search or training say about its model."""
    with torch.device("meta"):
        count = sum(each.numel() for each in ResNet50(options.width, options.blocks).parameters())
    return {"model": "ResNet50", "parameters": count, "model_bytes": 4 * count, "batch_size": options.batch}


def training_flops(options: argparse.Namespace) -> int:
    """Return the floating-point operations of learning from a picture once: backward is twice forward."""
    from torch.utils.flop_counter import FlopCounterMode

    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        model = ResNet50(options.width, options.blocks).eval()
        features = model.body(torch.empty(1, 3, options.side, options.side, dtype=torch.uint8))
        body = counter.get_total_flops()
        model(features)
    return 3 * counter.get_total_flops() - (2 * body if options.weights else 0)


# ------------------------------------------------------------------------------------ pictures


def read_list(path: Path) -> dict[str, list[Path]]:
    """Return the pictures of a list by split: names are ``{split}_{tweet}_{k}_{label}``."""
    paths = [Path(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = {
        split: [p for p in paths if p.name.startswith(f"{split}_")] for split in ("train", "dev", "test")
    }
    if not all(found.values()):
        raise ValueError(f"'{path}' should name pictures of each split, as train_917_0_informative.jpg")
    return found


def name_of(path: Path) -> str:
    """Return the number of a picture's post, and which of its pictures it is.

    Examples:
        >>> name_of(Path("resized/train_917_0_not_informative.jpg"))
        '917_0'
    """
    return "_".join(path.name.split("_")[1:3])


def informs(path: Path) -> bool:
    """Return whether a picture is labelled informative."""
    return path.stem.split("_", 3)[3] == "informative"


def decoded(path: Path, side: int) -> Tensor:
    """Return a picture as bytes, a seventh larger than the model looks at: there is some to cut off."""
    try:
        with Image.open(path) as picture:
            square = picture.convert("RGB").resize((side * 8 // 7, side * 8 // 7), Image.Resampling.BOX)
    except (OSError, ValueError, SyntaxError) as error:
        raise ValueError(f"'{path}' cannot be read as a picture ({error})") from error
    return torch.from_numpy(np.array(square)).permute(2, 0, 1)


def cuts(count: int, side: int, chance: torch.Generator | None) -> Tensor:
    """Return where each picture is cut (from the top, from the left), and whether it is mirrored."""
    spare = side * 8 // 7 - side
    if chance is None:
        return torch.tensor([[spare // 2, spare // 2, 0]]).expand(count, 3)
    places = torch.randint(spare + 1, (count, 2), generator=chance)
    return torch.cat([places, torch.randint(2, (count, 1), generator=chance)], 1)


def cut(pictures: Tensor, how: Tensor, side: int) -> Tensor:
    """Return pieces of pictures, mirrored where it is said; on any device, many at a time."""
    top, left, mirrored = how.to(pictures.device).unbind(1)
    along = torch.arange(side, device=pictures.device)
    rows, columns = top[:, None] + along, left[:, None] + along
    columns = torch.where(mirrored[:, None] > 0, columns.flip(1), columns)
    each = torch.arange(len(pictures), device=pictures.device)[:, None, None]
    return pictures[each, :, rows[:, :, None], columns[:, None]].permute(0, 3, 1, 2)


class View(Dataset[tuple[Tensor, Tensor]]):
    """Pictures in an order, each cut in its way: read from the disk each time, as published."""

    def __init__(self, paths: list[Path], how: Tensor, side: int) -> None:
        """Take paths in their order."""
        self.paths, self.how, self.side = paths, how, side

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.paths)

    def __getitem__(self, n: int) -> tuple[Tensor, float]:
        """Return a picture and its label."""
        pieces = cut(decoded(self.paths[n], self.side)[None], self.how[n : n + 1], self.side)
        return pieces[0], float(informs(self.paths[n]))


class Source:
    """Pictures, given out in batches."""

    def __init__(self, paths: list[Path], options: argparse.Namespace) -> None:
        """Take pictures; the tuned variant decodes them now, once, and keeps them on the device."""
        self.paths, self.options = paths, options
        self.labels = torch.tensor([float(informs(path)) for path in paths], device=options.device)
        if options.variant == "tuned":
            with phase("decode", pictures=len(paths)), ThreadPoolExecutor(options.threads or None) as threads:
                every = threads.map(lambda path: decoded(path, options.side), paths)
                self.held = torch.stack(list(every)).to(options.device)

    def batches(self, order: Tensor, how: Tensor, count: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield pictures and labels in an order, so many at a time, on the device."""
        device = self.options.device
        if self.options.variant == "published":
            view = View([self.paths[n] for n in order.tolist()], how, self.options.side)
            for pieces, labels in DataLoader(view, count, generator=torch.Generator()):
                yield pieces.to(device), labels.float().to(device)
            return
        for picks, way in zip(order.to(device).split(count), how.split(count), strict=True):
            yield cut(self.held[picks], way, self.options.side), self.labels[picks]


# ------------------------------------------------------------------------------------ learning


class Learner:
    """A model that learns, with the parameters it learns by.

    Fast learners (the tuned variant on a GPU) have a CUDA stream each, so that several work at once, and
    take whole batches as one CUDA graph: with small ones, launching kernels takes longer than they do.
    """

    def __init__(self, parameters: dict[str, float], options: argparse.Namespace) -> None:
        """Begin with a model that knows nothing but what its weights say; with one seed all begin alike."""
        torch.manual_seed(options.seed)
        self.parameters, self.options, self.frozen = parameters, options, options.weights is not None
        self.model = ResNet50(options.width, options.blocks)
        if self.frozen:
            load_body(self.model, options.weights)
        self.model.to(options.device, memory_format=options.layout)
        self.sums = torch.zeros(2, device=options.device)
        learns, rate = self.model.fc if self.frozen else self.model, torch.ones((), device=options.device)
        fast = {"fused": True, "capturable": True} if options.fast else {}
        self.optimizer = torch.optim.Adam(learns.parameters(), rate if options.fast else 1.0, **fast)
        self.stream = torch.cuda.Stream() if options.fast else None
        self.captured: Captured | None = None

    def begin(self) -> None:
        """Begin an epoch; a frozen body goes by the means and deviations that it knows."""
        self.model.train(not self.frozen)
        self.model.fc.train()
        self.sums.zero_()

    def step(self, x: Tensor, labels: Tensor, rate: float) -> None:
        """Learn from a batch of pictures, or of features."""
        group = self.optimizer.param_groups[0]
        if self.stream is None:
            group["lr"] = rate
            self.update(x, labels)
            return
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            group["lr"].fill_(rate)
            if self.frozen or len(labels) < self.options.batch:
                self.update(x, labels)
            else:
                self.captured = self.captured or Captured(self, x, labels)
                self.captured.replay(x, labels)
        for used in (x, labels):
            used.record_stream(self.stream)

    def update(self, x: Tensor, labels: Tensor) -> None:
        """Change the weights by a batch; add up its losses, and how many were judged rightly."""
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=self.options.fast, cache_enabled=False):
            answers = self.model(x).float()
        loss = nn.functional.binary_cross_entropy_with_logits(answers, labels)
        loss.backward()
        self.optimizer.step()
        right = (answers.detach() > 0) == (labels > 0.5)
        self.sums.add_(torch.stack([loss.detach() * len(labels), right.sum()]))

    def means(self, count: int) -> list[float]:
        """Return loss and accuracy over so many pictures, once all steps are done."""
        if self.stream is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
        return (self.sums / count).tolist()

    def state(self) -> dict[str, Any]:
        """Return what is needed to go on."""
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def restore(self, state: dict[str, Any] | None) -> None:
        """Go on from a state, if there is one."""
        if state:
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])


class Captured:
    """A step of a learner as one CUDA graph."""

    def __init__(self, learner: Learner, x: Tensor, labels: Tensor) -> None:
        """Capture a step, and leave the learner as it was before."""
        before = {each.data_ptr(): each.clone() for each in tensors_of(learner)}
        self.x, self.labels = x.clone(), labels.clone()
        for _ in range(3):
            learner.update(self.x, self.labels)
        learner.optimizer.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        # In its own stream: graphs of two learners run at once, and libraries keep memory for each stream.
        with torch.cuda.graph(self.graph, stream=learner.stream):
            learner.update(self.x, self.labels)
        for each in tensors_of(learner):
            each.copy_(before.get(each.data_ptr(), torch.zeros_like(each)))

    def replay(self, x: Tensor, labels: Tensor) -> None:
        """Take the step with another batch."""
        self.x.copy_(x)
        self.labels.copy_(labels)
        self.graph.replay()


def tensors_of(learner: Learner) -> list[Tensor]:
    """Return all that a step changes in place: weights, means, sums, and what the optimizer remembers."""
    remembered = [each for moments in learner.optimizer.state.values() for each in moments.values()]
    weights = [each.detach() for each in (*learner.model.parameters(), *learner.model.buffers())]
    return [*weights, learner.sums, *remembered]


def learn(
    learners: list[Learner], source: Source, epoch: int, options: argparse.Namespace
) -> list[list[float]]:
    """Go through all pictures once, with all learners in step; return mean loss and accuracy of each.

    Chance begins anew with each epoch, from the seed and its number: a training that goes on after a kill
    draws what it would have drawn. The rate falls evenly to zero over all epochs. A frozen body is the same
    for all learners: it is asked once, by the tuned variant for many batches at a time.
    """
    count, frozen, tuned = len(source.labels), options.weights is not None, options.variant == "tuned"
    chance = torch.Generator().manual_seed(options.seed * 1000 + epoch)
    order, how = torch.randperm(count, generator=chance), cuts(count, options.side, chance)
    steps = math.ceil(count / options.batch)
    n = epoch * steps
    for learner in learners:
        learner.begin()
    # The tuned loop is one that a recorder does not see by itself.
    with phase("epoch", kind="epoch", number=epoch) if tuned else contextlib.nullcontext():
        for pieces, labels in source.batches(order, how, options.batch * (32 if tuned and frozen else 1)):
            x = features_of(learners[0], pieces) if frozen else pieces
            for few, right in zip(x.split(options.batch), labels.split(options.batch), strict=True):
                for learner in learners:
                    rate = learner.parameters["rate"] * (1 - n / (options.epochs * steps))
                    learner.step(few, right, rate)
                n += 1
        return [learner.means(count) for learner in learners]


def features_of(learner: Learner, pieces: Tensor) -> Tensor:
    """Return what a frozen body finds in pictures."""
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=learner.options.fast):
        return learner.model.body(pieces).float()


def fit(
    learners: list[Learner], source: Source, state: dict[str, Any], options: argparse.Namespace
) -> list[Any]:
    """Train learners through all epochs, from where an attempt before has left them; return how it went."""
    for learner, left in zip(learners, state["open"] or [None] * len(learners), strict=True):
        learner.restore(left)
    for epoch in range(len(state["curve"]), options.epochs):
        state["curve"].append(learn(learners, source, epoch, options))
        state["open"] = [learner.state() for learner in learners]
        keep(state, options)
    curve, state["curve"], state["open"] = state["curve"], [], []
    return curve


def ask(model: ResNet50, source: Source, options: argparse.Namespace) -> Tensor:
    """Return what a model answers for each picture, cut in the middle."""
    count = len(source.labels)
    model.eval()
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=options.fast):
        each = source.batches(torch.arange(count), cuts(count, options.side, None), PICTURES_ASKED)
        return torch.cat([model(pieces).float() for pieces, _ in each]).cpu()


# ------------------------------------------------------------------------------------ what a kill leaves


def keep(state: dict[str, Any], options: argparse.Namespace) -> None:
    """Leave a state for the next attempt."""
    if options.unfinished:
        save(options.unfinished, {**state, "settings": settings_of(options)})


def kept(options: argparse.Namespace) -> dict[str, Any]:
    """Return what an attempt before has left, and say so; if it cannot be used, start fresh."""
    fresh: dict[str, Any] = {"tried": [], "curve": [], "open": []}
    if not options.unfinished or not options.unfinished.exists():
        return fresh
    try:
        state = load(options.unfinished, options.device)
        if state.pop("settings") == settings_of(options):
            say(f"going on after {len(state['tried']) * options.epochs + len(state['curve'])} epochs")
            return state
        why = "was left by other settings"
    except DAMAGE as error:
        why = f"cannot be read ({type(error).__name__})"
    say(f"'{options.unfinished}' {why}: starting fresh")
    return fresh


def settings_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the options as texts."""
    return {name: str(value) for name, value in vars(options).items()}


def save(path: Path, content: object) -> None:
    """Save with PyTorch, whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    torch.save(content, temporary)
    temporary.replace(path)


def load(path: Path, device: str) -> dict[str, Any]:
    """Return what a file of PyTorch holds; PyTorch itself would not notice a flipped bit in it.

    Raises:
        Exception: One of ``DAMAGE``: it is not there, not whole, or no such file.
    """
    with zipfile.ZipFile(path) as parts:
        if spoilt := parts.testzip():
            raise ValueError(f"its part {spoilt} is damaged")
    return dict(torch.load(path, map_location=device, weights_only=True))


def first_line(error: Exception) -> str:
    """Return what an error says first; some of PyTorch's say much, some nothing."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def say(what: str) -> None:
    """Tell those who watch."""
    sys.stderr.write(f"resnet: {what}\n")


# ------------------------------------------------------------------------------------ search


def search(options: argparse.Namespace) -> None:
    """Try some parameters on the training pictures; write down the best by the loss of the others."""
    pictures = read_list(options.images)
    train, dev = (Source(pictures[split], options) for split in ("train", "dev"))
    state = kept(options)

    def attempt(proposals: list[dict[str, float]]) -> list[dict[str, Any]]:
        learners = [Learner(proposal, options) for proposal in proposals]
        fit(learners, train, state, options)
        return [judged(learner, dev, options) for learner in learners]

    with phase("search", kind="search", **described(options)):
        trials = tried(attempt, state, options)
    best = min(trials, key=lambda trial: trial["loss"])
    scores = {name_of(path): score for path, score in zip(pictures["dev"], best.pop("scores"), strict=True)}
    told = [{name: trial[name] for name in ("parameters", "loss", "accuracy")} for trial in trials]
    options.out.write_text(json.dumps({**best["parameters"], "trials": told, "held_out": scores}, indent=1))


def judged(learner: Learner, dev: Source, options: argparse.Namespace) -> dict[str, Any]:
    """Return how a learner did on the validation pictures, and its scores of them."""
    answers, labels = ask(learner.model, dev, options), dev.labels.cpu()
    loss = float(nn.functional.binary_cross_entropy_with_logits(answers, labels))
    return {
        "parameters": learner.parameters,
        "loss": loss if math.isfinite(loss) else sys.float_info.max,
        "accuracy": float(((answers > 0) == (labels > 0.5)).float().mean()),
        "scores": [round(score, 5) for score in answers.sigmoid().tolist()],
    }


def tried(attempt: Attempt, state: dict[str, Any], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Let Optuna propose, and try what it proposes; return all trials.

    Proposals are points of the grid, none twice, in an order that the seed decides: a search that goes on
    after a kill is told anew what was tried, and proposes what it would have. As published, one trial comes
    after the other; the tuned variant trains all of them in step.
    """
    import optuna

    class Grid(optuna.samplers.GridSampler):
        def after_trial(self, *_: object) -> None:
            """Do nothing where Optuna would end its own loop: there is none."""

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    choices = {name: getattr(options, name) for name in CHOICES}
    space: dict[str, Any] = {
        name: optuna.distributions.CategoricalDistribution(each) for name, each in choices.items()
    }
    study = optuna.create_study(sampler=Grid(choices, seed=options.seed))
    wanted, trials = min(options.trials, math.prod(map(len, choices.values()))), list[dict[str, Any]]()
    while len(trials) < wanted:
        together = wanted - len(trials) if options.variant == "tuned" else 1
        asked = [study.ask(space) for _ in range(together)]
        if len(state["tried"]) == len(trials):
            state["tried"] += attempt([trial.params for trial in asked])
            keep(state, options)
        for trial in asked:
            trials.append(state["tried"][len(trials)])
            study.tell(trial, trials[-1]["loss"])
            say(f"{trial.params}: loss {trials[-1]['loss']:.4f}, accuracy {trials[-1]['accuracy']:.3f}")
    return trials


# ------------------------------------------------------------------------------------ train and infer


def best_in(path: Path) -> dict[str, Any]:
    """Return the parameters that a search found best, and its scores of the validation pictures."""
    try:
        best = json.loads(path.read_text(encoding="utf-8"))
        parameters = {name: float(best[name]) for name in CHOICES}
        return {**parameters, "held_out": dict(best["held_out"])}
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"'{path}' does not hold what a search has found ({error})") from error


def train(options: argparse.Namespace) -> None:
    """Train with the best parameters on training and validation pictures; write weights and curves."""
    pictures, best = read_list(options.images), best_in(options.parameters)
    source, learner = Source(pictures["train"] + pictures["dev"], options), Learner(best, options)
    flops = options.epochs * len(source.labels) * training_flops(options)
    with phase("training", flops=flops, **described(options)):
        curve = fit([learner], source, kept(options), options)
    weights = {name: weight.cpu().contiguous() for name, weight in learner.model.state_dict().items()}
    shape = {"width": options.width, "blocks": options.blocks, "side": options.side}
    save(options.model, {"weights": weights, "held_out": best["held_out"], **shape})
    draw_curve("loss", [epoch[0][0] for epoch in curve], options.loss)
    draw_curve("accuracy", [epoch[0][1] for epoch in curve], options.accuracy)


def infer(options: argparse.Namespace) -> None:
    """Score all pictures; those of the validation have the scores that they got while they were unseen."""
    pictures = read_list(options.images)
    model, saved = load_model(options.model)
    options.side, options.width, options.blocks = saved["side"], saved["width"], saved["blocks"]
    model.to(options.device, memory_format=options.layout)
    scores = saved["held_out"]
    with phase("inference", **described(options)):
        for paths in (pictures["train"], pictures["test"]):
            answers = ask(model, Source(paths, options), options).sigmoid().tolist()
            scores.update({name_of(path): score for path, score in zip(paths, answers, strict=True)})
    write_scores(options.train, pictures["train"] + pictures["dev"], scores)
    write_scores(options.test, pictures["test"], scores)
    draw_matrix(pictures["test"], scores, options.matrix)


def load_model(path: Path) -> tuple[ResNet50, dict[str, Any]]:
    """Return a trained model, and what was saved with it."""
    try:
        saved = load(path, "cpu")
        model = ResNet50(saved["width"], saved["blocks"])
        model.load_state_dict(saved["weights"])
        return model, {name: saved[name] for name in ("side", "width", "blocks", "held_out")}
    except DAMAGE as error:
        raise ValueError(f"'{path}' does not hold a trained model ({first_line(error)})") from error


def write_scores(path: Path, pictures: list[Path], scores: dict[str, float]) -> None:
    """Write how likely the post of each picture informs, and whether the model that says so had seen it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["image_id", "split", "label", "score", "seen"])
        for each in pictures:
            split, tweet, k, label = each.stem.split("_", 3)
            table.writerow(
                [f"{tweet}_{k}", split, label, f"{scores[name_of(each)]:.5f}", int(split == "train")]
            )


def draw_curve(what: str, values: list[float], path: Path) -> None:
    """Draw how something went over the epochs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.5), layout="constrained")
    axes = figure.add_subplot(xlabel="epoch", ylabel=what, title=f"ResNet50: {what} while training")
    axes.plot(range(1, len(values) + 1), values, marker="o")
    axes.set_xticks(range(1, len(values) + 1))
    figure.savefig(path)


def draw_matrix(pictures: list[Path], scores: dict[str, float], path: Path) -> None:
    """Draw how many pictures of each label were judged how."""
    from matplotlib.figure import Figure

    names, counts = ["informative", "not informative"], np.zeros((2, 2), int)
    for each in pictures:
        counts[int(not informs(each)), int(scores[name_of(each)] <= 0.5)] += 1
    figure = Figure(figsize=(4.5, 4), layout="constrained")
    title = f"ResNet50: {len(pictures):,} test pictures"
    axes = figure.add_subplot(xlabel="judged", ylabel="labelled", title=title)
    axes.imshow(counts, cmap="Blues", vmin=0)
    axes.set_xticks([0, 1], names)
    axes.set_yticks([0, 1], names, rotation=90, va="center")
    for (row, column), count in np.ndenumerate(counts):
        colour = "white" if count > counts.max() / 2 else "black"
        axes.text(column, row, f"{count:,}", ha="center", va="center", color=colour)
    figure.savefig(path)


# ------------------------------------------------------------------------------------ command line


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="The model of pictures.")
    commands = parser.add_subparsers(dest="command", required=True)
    for command, files in FILES.items():
        each = commands.add_parser(command)
        each.add_argument("--images", type=Path, required=True, help="a file with a path on each line")
        each.add_argument("--weights", type=Path, help="torchvision's weights, for a frozen body")
        each.add_argument("--blocks", type=int, nargs=4, default=list(BLOCKS), help="of each layer")
        each.add_argument("--width", type=float, default=1.0, help="how much of the published channels")
        for name in files:
            each.add_argument(f"--{name}", type=Path, required=True)
        each.add_argument(
            "--unfinished", type=Path, help="what is left for the next attempt if this is killed"
        )
        for name, number in DEFAULTS.items():
            each.add_argument(f"--{name}", type=int, default=number, help=str(number))
        for name, values in CHOICES.items():
            each.add_argument(f"--{name}", type=float, nargs="+", default=values, help="what to choose from")
        each.add_argument("--variant", choices=("published", "tuned"), default="published")
        each.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    return parser.parse_args(arguments)


def compute_repeatably() -> None:
    """Let a GPU compute the same from the same; a CPU does so anyway, and this would load much there."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS reads it when it is first used
    torch.use_deterministic_algorithms(True, warn_only=True)


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    options = options_of(arguments)
    if options.device == "auto":
        options.device = "cuda" if torch.cuda.is_available() else "cpu"
    options.fast = options.variant == "tuned" and options.device == "cuda"
    torch.backends.cudnn.benchmark = options.fast
    options.layout = torch.channels_last if options.variant == "tuned" else torch.contiguous_format
    if options.device == "cuda" and options.variant == "published":
        compute_repeatably()
    if options.threads:
        torch.set_num_threads(options.threads)
    {"search": search, "train": train, "infer": infer}[options.command](options)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"resnet: {error}.")
