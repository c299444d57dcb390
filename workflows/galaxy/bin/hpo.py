"""Search good parameters of the model: rates of body and head, and how much of the body is transferred.

The search is Optuna's. Its sampler is seeded by the number of each trial, and finished trials are told to
it from a file: so a search that was killed proposes what it would have proposed. A trial goes on from its
last epoch.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
import torch
from data import (
    Loaded,
    Resident,
    decoded,
    device_of,
    identity_of,
    load_state,
    names_in,
    phase,
    save_state,
    share_memory_with,
    side_by_side,
    side_of,
    stamp_of,
    use_cores,
    write_whole,
)
from model import VGG16, Learner, Settings, flops_of, size_of

Parameters = dict[str, Any]


@dataclass(frozen=True)
class Recipe:
    """What is searched: learning rates of body and head, and below which layer the body is frozen.

    Attributes:
        body_rate: Learning rates of the body.
        head_rate: Learning rates of the head.
        transferred: Layers below which the body keeps the weights that it came with.
        decays: Whether rates rise at first and then fall to nothing; else they stay.
    """

    body_rate: tuple[float, ...]
    head_rate: tuple[float, ...]
    transferred: tuple[int, ...]
    decays: bool


def recipe_of(width: float, *, pretrained: bool) -> Recipe:
    """Return the published grid for a pretrained body; else one from which all of it can learn.

    Narrow networks take larger steps.
    """
    if pretrained:
        return Recipe((1e-7, 1e-8, 1e-9), (1e-4, 1e-5, 1e-6), (17, 21, 24), decays=False)
    rates = tuple(rate / width for rate in (1e-4, 2e-4, 3e-4))
    return Recipe(rates, rates, (0,), decays=True)


class Search:
    """A search: its trials, those that are finished, and the file that knows of them."""

    def __init__(self, given: argparse.Namespace) -> None:
        """Take the settings, and what an earlier attempt has finished."""
        self.given = given
        self.names = {"train": names_in(given.train), "val": names_in(given.val)}
        self.recipe = recipe_of(given.width, pretrained=given.weights is not None)
        # Cores are among them, as a tuned search proposes as many trials at once.
        told = ("trials", "epochs", "batch", "width", "seed", "variant", "cores")
        settings = {name: getattr(given, name) for name in told}
        self.identity = identity_of(self.names, weights=stamp_of(given.weights), **settings)
        self.values = self._finished()
        self.pictures: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}

    def run(self) -> Parameters:
        """Run all trials; return the best parameters."""
        at_once = min(self.given.trials, self.given.cores) if self.given.variant == "tuned" else 1
        tried: dict[int, Parameters] = {}
        for first in range(0, self.given.trials, at_once):
            study = self._study(tried)
            numbers = range(first, min(first + at_once, self.given.trials))
            asked = {number: self._ask(study, number) for number in numbers}
            tried.update({number: self._parameters(trial) for number, trial in asked.items()})
            self._try({number: tried[number] for number in numbers if number not in self.values}, at_once)
            for number, trial in asked.items():
                study.tell(trial, self.values[number])
        return self._best(tried)

    def _study(self, tried: dict[int, Parameters]) -> optuna.Study:
        """Return a study that knows what was tried before."""
        study = optuna.create_study(direction="minimize")
        for number, parameters in tried.items():
            searched = {name: parameters[name] for name in self._grid()}
            study.add_trial(
                optuna.trial.create_trial(
                    params=searched, distributions=self._grid(), value=self.values[number]
                )
            )
        return study

    def _grid(self) -> dict[str, optuna.distributions.BaseDistribution]:
        names = ("body_rate", "head_rate", "transferred")
        return {
            name: optuna.distributions.CategoricalDistribution(getattr(self.recipe, name)) for name in names
        }

    def _ask(self, study: optuna.Study, number: int) -> optuna.Trial:
        study.sampler = optuna.samplers.TPESampler(seed=self.given.seed * 1000 + number)
        return study.ask(self._grid())

    def _parameters(self, trial: optuna.Trial) -> Parameters:
        return {
            **trial.params, "decays": self.recipe.decays, "width": self.given.width, "batch": self.given.batch
        }  # fmt: skip

    def _try(self, wanted: dict[int, Parameters], at_once: int) -> None:
        """Run trials that are not finished, side by side if there may be several at once."""
        if self.given.variant == "tuned" and wanted and not self.pictures:
            cores = self.given.cores
            self.pictures = {split: decoded(names, cores) for split, names in self.names.items()}
        if at_once == 1:
            for number, parameters in wanted.items():
                self._finish(number, self._trial(number, parameters))
            return

        def one_of_several(number: int) -> float:
            torch.set_num_threads(self.given.cores // at_once)
            share_memory_with(at_once)
            return self._trial(number, wanted[number])

        # Forked after decoding, they have the pictures in common.
        for number, loss in side_by_side(one_of_several, list(wanted)):
            self._finish(number, loss)

    def _trial(self, number: int, parameters: Parameters) -> float:
        """Learn with these parameters; return the mean loss on the validation pictures in the end.

        A loss that is no number is the largest that there is: nothing compares with it else.
        """
        kept = self._kept(number)
        learner = self._learner(parameters)
        state = load_state(kept, f"{self.identity} {number}")
        if state:
            learner.restore(state)
            say(f"trial {number}: going on after {learner.epoch} of {self.given.epochs} epochs")
        loss = float(state.get("loss", "inf"))
        with phase("learning", trial=number) as mark:
            while learner.epoch < self.given.epochs:
                began = time.monotonic()
                learned = learner.learn_epoch()
                took = time.monotonic() - began
                loss, right = learner.judged(learner.val)
                save_state(kept, {**learner.state(), "loss": loss}, f"{self.identity} {number}")
                rate = len(learner.train) * learner.train.batch / took
                say(
                    f"trial {number}, epoch {learner.epoch}/{self.given.epochs}: loss {learned:.3f}, "
                    f"validation {loss:.3f}, {right:.1%} right, {rate:.0f} images/s"
                )
            loss = loss if math.isfinite(loss) else sys.float_info.max
            mark.note(flops=flops_of(learner, learner.epoch - learner.begun), value=loss)
        return loss

    def _learner(self, parameters: Parameters) -> Learner:
        given, device = self.given, device_of(self.given.device)
        torch.manual_seed(given.seed)
        model = VGG16(given.width, side_of(self.names["val"][0]))
        if given.weights:
            model.load_body(given.weights)
        if given.variant == "tuned":
            train, val = (Resident(*self.pictures[name], given.batch, device) for name in ("train", "val"))
        else:
            train, val = (
                Loaded(self.names[name], given.batch, device, min(given.workers, given.cores))
                for name in ("train", "val")
            )
        return Learner(
            model, Settings(parameters, given.epochs, given.seed, device, given.variant), train, val
        )

    def _kept(self, number: int) -> Path:
        return Path(self.given.checkpoint).with_name(f"trial_{number}.pt")

    def _finished(self) -> dict[int, float]:
        """Return the values of trials that an earlier attempt has finished."""
        path = self.given.checkpoint
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            if told["identity"] == self.identity:
                return {int(number): float(value) for number, value in told["values"].items()}
            reason = "it is of other settings"
        except FileNotFoundError:
            reason = "it is not there"
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"it is damaged ({type(error).__name__})"
        say(f"{path}: {reason}: starting fresh")
        return {}

    def _finish(self, number: int, value: float) -> None:
        """Keep the value of a trial, and no longer what it could have gone on from."""
        self.values[number] = value
        write_json(self.given.checkpoint, {"identity": self.identity, "values": self.values})
        self._kept(number).unlink(missing_ok=True)

    def _best(self, tried: dict[int, Parameters]) -> Parameters:
        best = min(tried, key=lambda number: self.values[number])
        trials = [{**tried[number], "validation_loss": self.values[number]} for number in tried]
        return {**tried[best], "validation_loss": self.values[best], "trials": trials}


def main() -> int:
    """Search; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("train", "val"):
        parser.add_argument(f"--{name}", type=Path, required=True, help="a file that lists pictures")
    parser.add_argument("--checkpoint", type=Path, required=True, help="what to go on from, if it is there")
    parser.add_argument("--best", type=Path, required=True, help="where the best parameters go, as JSON")
    parser.add_argument("--trials", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--width", type=float, default=1.0, help="channels, as a share of VGG16's")
    parser.add_argument("--weights", type=Path, help="pretrained weights of torchvision's VGG16")
    parser.add_argument("--seed", type=int, default=10)
    parser.add_argument("--workers", type=int, default=0, help="published: processes that load pictures")
    parser.add_argument("--variant", choices=("published", "tuned"), default="published")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--cores", type=int, default=1, help="how many it may use")
    given = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        search(given)
    except (OSError, ValueError) as error:
        say(f"hpo: {error}")
        return 1
    return 0


def search(given: argparse.Namespace) -> None:
    """Search, and write what was found."""
    if min(given.trials, given.epochs, given.batch) < 1 or given.width <= 0:
        raise ValueError("trials, epochs, batch and width must all be above zero.")
    use_cores(given.cores)
    wanted = Search(given)
    parameters, model_bytes = size_of(given.width, side_of(wanted.names["val"][0]))
    facts = {
        "model": "VGG16",
        "parameters": parameters,
        "model_bytes": model_bytes,
        "batch_size": given.batch,
    }
    with phase("search", kind="search", **facts):
        best = wanted.run()
    write_json(given.best, best)


def write_json(path: Path, told: dict[str, Any]) -> None:
    """Write what is told, whole or not at all."""
    text = json.dumps(told, indent=1) + "\n"
    write_whole(path, lambda part: part.write_text(text, encoding="utf-8"))


def say(text: str) -> None:
    """Tell how it goes."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
