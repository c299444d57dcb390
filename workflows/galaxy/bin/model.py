"""VGG16 for galaxies, and how it learns: the network, its rates, an epoch, what it makes of pictures.

The body has the names and shapes of torchvision's VGG16, so that its weights can be loaded; the head is
that of the published workflow, 32768-512-64-5 with batch norm and dropout. ``width`` makes all layers
narrower.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from data import Batches, Resident, fits, phase, whitened
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

LAYOUT = (64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0)
CLASSES = 5
DROPOUT = 0.3
WARM_UP_STEPS = 100
# Steps that PyTorch and its libraries need to settle before one can be captured.
_SETTLING = 3

Step = Callable[[Tensor, Tensor], Tensor]


class VGG16(nn.Module):
    """The network. It takes pictures as bytes or normalised, or what its lower layers made of them."""

    def __init__(self, width: float = 1.0, side: int = 256) -> None:
        """Make it for pictures of so many pixels on each side."""
        super().__init__()
        self.made_with = (width, side)
        layers: list[nn.Module] = []
        channels = 3
        for count in LAYOUT:
            if count:
                layers += [nn.Conv2d(channels, narrowed(count, width), 3, padding=1), nn.ReLU(inplace=True)]
                channels = narrowed(count, width)
            else:
                layers.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            *_dense(channels * (side // 32) ** 2, 512), *_dense(512, 64), nn.Linear(64, CLASSES)
        )
        self.apply(_initialise)

    def forward(self, pictures: Tensor, first: int = 0) -> Tensor:
        """Return how much speaks for each class; ``first`` is the layer of the body to begin with."""
        return self.classifier(self.body(pictures, first, len(self.features)).flatten(1))

    def body(self, pictures: Tensor, first: int, end: int) -> Tensor:
        """Return what layers of the body make of pictures, or of what the layers below made."""
        if pictures.dtype == torch.uint8:
            pictures = whitened(pictures)
        for layer in self.features[first:end]:
            pictures = layer(pictures)
        return pictures

    def load_body(self, path: Path) -> None:
        """Take the weights of a body out of a file of torchvision's.

        Raises:
            ValueError: The file cannot be read, or its body is not that of this network.
        """
        try:
            loaded = torch.load(path, map_location="cpu", weights_only=True)
            body = {
                name.removeprefix("features."): each for name, each in loaded.items() if "features." in name
            }
            self.features.load_state_dict(body, strict=True)
        except Exception as error:
            raise ValueError(
                f"{path} does not hold the body of a VGG16 of this width ({type(error).__name__}). "
                "Give torchvision's vgg16 weights, at the scale of the paper."
            ) from error

    def freeze(self, transferred: int) -> None:
        """Let the layers of the body below this one stay as they are."""
        for layer in self.features[:transferred]:
            layer.requires_grad_(False)


def narrowed(count: int, width: float) -> int:
    """Return how many channels a layer has."""
    return max(8, round(count * width))


def _dense(before: int, after: int) -> list[nn.Module]:
    return [nn.Linear(before, after), nn.BatchNorm1d(after), nn.ReLU(inplace=True), nn.Dropout(DROPOUT)]


def _initialise(layer: nn.Module) -> None:
    """Begin such that thirteen layers without norms neither fade nor burst (He et al. 2015)."""
    if isinstance(layer, nn.Conv2d | nn.Linear):
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        nn.init.zeros_(layer.bias)


def rate_factor(step: int, steps: int, *, decays: bool) -> float:
    """Return what rates are multiplied with at a step: a short rise, then half a wave of a cosine."""
    if not decays:
        return 1.0
    rise = min(WARM_UP_STEPS, max(1, steps // 10))
    return min(1.0, (step + 1) / rise) * (0.01 + 0.99 * (1 + math.cos(math.pi * step / steps)) / 2)


@dataclass(frozen=True)
class Settings:
    """How a network learns: what was found by the search, how long, on what, and from which seed."""

    parameters: dict[str, Any]
    epochs: int
    seed: int
    device: torch.device
    variant: str

    @property
    def captures(self) -> bool:
        """Whether steps are made for a GPU: half the precision where it does not matter, and captured."""
        return self.variant == "tuned" and self.device.type == "cuda"


class Learner:
    """A network that learns."""

    def __init__(self, model: VGG16, settings: Settings, train: Batches, val: Batches) -> None:
        """Put the network on its device, and make ready what it learns from."""
        self.settings, self.parameters = settings, settings.parameters
        self.model = placed(model, settings)
        self.model.freeze(self.parameters["transferred"])
        self.optimizer = self._adam()
        self.first, (self.train, self.val) = self._above_frozen(train, val)
        self.epoch = self.begun = 0
        self._step: Step | None = None

    def state(self) -> dict[str, Any]:
        """Return what can be gone on from."""
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict()["state"],
            "epoch": self.epoch,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what was kept."""
        self.model.load_state_dict(state["model"])
        told = self.optimizer.state_dict()
        self.optimizer.load_state_dict({**told, "state": state["optimizer"]})
        self.epoch = self.begun = state["epoch"]

    def learn_epoch(self) -> float:
        """Go through the training pictures once; return the mean loss on the way."""
        self.model.train()
        step = self._step = self._step or self._new_step()
        # All chance of an epoch follows from its number: whoever goes on from it draws the same. It begins
        # here, since the steps that settle have used up some.
        seed = self.settings.seed * 10_000 + self.epoch
        torch.manual_seed(seed)
        with self._mark():
            loss = self._steps(step, seed)
        self.epoch += 1
        return loss

    def _steps(self, step: Step, seed: int) -> float:
        # The published way reads the loss after every step, and so waits for the device.
        waits = self.settings.variant == "published"
        total, steps = torch.zeros((), device="cpu" if waits else self.settings.device), len(self.train)
        for n, (pictures, labels) in enumerate(self.train.shuffled(seed)):
            self._set_rates(self.epoch * steps + n, self.settings.epochs * steps)
            loss = step(pictures, labels)
            total += loss.item() if waits else loss
        return float(total) / steps

    def _mark(self) -> AbstractContextManager[object]:
        """Return a mark for an epoch; one over a DataLoader is seen without."""
        if not isinstance(self.train, Resident):
            return nullcontext()
        return phase("epoch", kind="epoch", number=self.epoch, images=len(self.train) * self.train.batch)

    def judged(self, batches: Batches) -> tuple[float, float]:
        """Return the mean loss on pictures, and the share that was classified rightly."""
        scores, labels = scores_of(
            self.model, batches, self.settings, self.first if batches is self.val else 0
        )
        right = (scores.argmax(1) == labels).float().mean()
        return float(functional.cross_entropy(scores, labels)), float(right)

    def _adam(self) -> torch.optim.Adam:
        body = [each for each in self.model.features.parameters() if each.requires_grad]
        groups = [(body, "body_rate"), (list(self.model.classifier.parameters()), "head_rate")]
        kept = [{"params": each, "lr": self._rate(self.parameters[rate])} for each, rate in groups if each]
        if not self.settings.captures:
            return torch.optim.Adam(kept)
        adam = torch.optim.Adam(kept, fused=True, capturable=True)
        adam._warned_capturable_if_run_uncaptured = True  # the first steps, which settle, are not
        return adam

    def _rate(self, rate: float) -> float | Tensor:
        """Return a learning rate such that captured steps see its changes."""
        return torch.tensor(rate, device=self.settings.device) if self.settings.captures else rate

    def _set_rates(self, step: int, steps: int) -> None:
        factor = rate_factor(step, steps, decays=self.parameters["decays"])
        names = ("body_rate", "head_rate")[-len(self.optimizer.param_groups) :]
        for group, name in zip(self.optimizer.param_groups, names, strict=True):
            if isinstance(group["lr"], float):
                group["lr"] = self.parameters[name] * factor
            else:
                group["lr"].fill_(self.parameters[name] * factor)

    def _above_frozen(self, train: Batches, val: Batches) -> tuple[int, tuple[Batches, Batches]]:
        """Return what frozen layers make of all pictures, if it can be kept, and the layer that comes next.

        This is exact: nothing below changes from step to step, and pictures do not either.
        """
        frozen = self.parameters["transferred"]
        if not frozen or not isinstance(train, Resident) or not isinstance(val, Resident):
            return 0, (train, val)
        made = self._frozen_part(next(iter(val.in_order()))[0][:1])
        if not fits(made.nbytes * (train.count + val.count), self.settings.device):
            print("what frozen layers make does not fit in memory: made anew in every step", file=sys.stderr)
            return 0, (train, val)
        return frozen, (train.through(self._frozen_part), val.through(self._frozen_part))

    @torch.no_grad()
    def _frozen_part(self, pictures: Tensor) -> Tensor:
        with _precision(self.settings):
            return self.model.body(pictures, 0, self.parameters["transferred"])

    def _new_step(self) -> Step:
        if not self.settings.captures:
            return self._plain_step
        try:
            return self._captured()
        except RuntimeError as error:
            print(f"a step cannot be captured ({error}): going on without", file=sys.stderr)
            return self._plain_step

    def _plain_step(self, pictures: Tensor, labels: Tensor) -> Tensor:
        """Learn from one batch; return its loss."""
        with _precision(self.settings):
            loss = functional.cross_entropy(self.model(pictures, self.first), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def _captured(self) -> Step:
        """Return a step that the device repeats as a whole, with one order for all its kernels."""
        pictures, labels = next(iter(self.train.shuffled(0)))
        pictures, labels = torch.empty_like(pictures).copy_(pictures), labels.clone()
        before = [(each, each.detach().clone()) for each in self._changing()]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(_SETTLING):
                self._plain_step(pictures, labels)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = self._plain_step(pictures, labels)
        self._undo(before)

        def step(new_pictures: Tensor, new_labels: Tensor) -> Tensor:
            pictures.copy_(new_pictures)
            labels.copy_(new_labels)
            graph.replay()
            return loss

        return step

    def _changing(self) -> list[Tensor]:
        """Return all tensors that a step changes, themselves and no views of them."""
        states = (each for state in self.optimizer.state.values() for each in state.values())
        return [*self.model.parameters(), *self.model.buffers(), *states]

    def _undo(self, before: list[tuple[Tensor, Tensor]]) -> None:
        """Take back what settling has changed; what was not there before is zero at a beginning."""
        known = {id(each) for each, _ in before}
        with torch.no_grad():
            for each, value in before:
                each.copy_(value)
            for each in self._changing():
                if id(each) not in known:
                    each.zero_()


def placed(model: VGG16, settings: Settings) -> VGG16:
    """Return a network on its device, in the order of channels that is fastest there.

    The same again gives the same, but for the tuned way on a GPU.
    """
    if settings.captures:
        model = model.to(memory_format=torch.channels_last)
        torch.backends.cudnn.benchmark = True
    elif settings.device.type == "cuda":  # a CPU repeats itself anyway, and this loads much
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # its sums have one order then
        torch.use_deterministic_algorithms(True, warn_only=True)
    return model.to(settings.device)


def flops_of(learner: Learner, epochs: int) -> int:
    """Return the floating-point operations of so many epochs with their validation, and of what is made once.

    PyTorch's own counter counts them, on a network without numbers in it: products and sums of convolutions
    and of matrices.
    """
    with torch.device("meta"):
        model = VGG16(*learner.model.made_with)
        pictures = torch.empty(learner.train.batch, 3, learner.model.made_with[1], learner.model.made_with[1])
    model.freeze(learner.parameters["transferred"])
    with FlopCounterMode(display=False) as once, torch.no_grad():
        below = model.body(pictures, 0, learner.first)
    with FlopCounterMode(display=False) as training:
        model.train()(below, learner.first).sum().backward()
    with FlopCounterMode(display=False) as judging, torch.no_grad():
        model.eval()(below[:1], learner.first)
    made_once = once.get_total_flops() * (learner.train.count + learner.val.count) // learner.train.batch
    epoch = training.get_total_flops() * len(learner.train) + judging.get_total_flops() * learner.val.count
    return int(made_once + epochs * epoch)


def size_of(width: float, side: int) -> tuple[int, int]:
    """Return how many parameters the network has, and their bytes."""
    with torch.device("meta"):
        model = VGG16(width, side)
    parameters = list(model.parameters())
    return sum(each.numel() for each in parameters), sum(each.nbytes for each in parameters)


@torch.no_grad()
def scores_of(model: VGG16, batches: Batches, settings: Settings, first: int = 0) -> tuple[Tensor, Tensor]:
    """Return how much speaks for each class, for all pictures in order, and their classes."""
    model.eval()
    found = []
    for pictures, labels in batches.in_order():
        with _precision(settings):
            found.append((model(pictures, first).float(), labels))
    scores, labels = (torch.cat(each).cpu() for each in zip(*found, strict=True))
    return scores, labels


def _precision(settings: Settings) -> torch.autocast:
    # Without the cache: copies of weights that a captured step has made would outlive the weights.
    return torch.autocast(
        settings.device.type, torch.bfloat16, enabled=settings.captures, cache_enabled=False
    )
