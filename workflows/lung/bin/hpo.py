"""Searches the learning rate with which a model fits the masks of the validation set best.

Trials differ in their rate alone: all begin with the same weights and see pictures in the same order. Rates
are proposed by Optuna, whose sampler is seeded. What has been tried is kept in a checkpoint and told to a new
study in the same order, so that a search that was broken off goes on as if it had not been.
"""

from __future__ import annotations

import argparse
import contextvars
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import optuna
import torch
import unet

# The sampler proposes the first ten by chance alone, so that asking for them at once changes nothing.
_ASKED_AT_ONCE = 10
_AT_ONCE_ON_GPU = 3


class Search:
    """Trials of a search: those that are done, and those that run."""

    def __init__(self, asked: argparse.Namespace, way: unet.Way) -> None:
        train = unet.pairs(unet.names_in(asked.train_images), unet.names_in(asked.train_masks))
        val = unet.pairs(unet.names_in(asked.val_images), unet.names_in(asked.val_masks))
        files = [name for pair in train + val for name in pair]
        self._asked, self._way = asked, way
        if way.variant is unet.Variant.TUNED:
            _use_one_core()  # each: trials gain more from cores side by side than one gains from several
        self._checkpoint = unet.Checkpoint(asked.checkpoint, _setting(asked, files), way.variant)
        left = self._checkpoint.load()
        self.found: dict[str, float] = left.get("found", {})
        self._running: dict[str, Any] = left.get("running", {})
        self._train, self._val = way.data(train, asked.batch), way.data(val, asked.batch)
        self._at_once = 1
        if way.variant is unet.Variant.TUNED:
            self._at_once = _AT_ONCE_ON_GPU if way.device.type == "cuda" else way.cores
        # The same threads all the time: cuDNN keeps for each which of its ways was fastest.
        self._pool = ThreadPoolExecutor(self._at_once, initializer=_use_one_core)

    def run(self) -> optuna.Study:
        """Try as many rates as were asked for."""
        sampler = optuna.samplers.TPESampler(seed=self._asked.seed)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        at_once = _ASKED_AT_ONCE if self._way.variant is unet.Variant.TUNED else 1
        while (left := self._asked.trials - len(study.trials)) > 0:
            trials = [study.ask() for _ in range(min(at_once, left))]
            keys = [self._key(trial.number, _proposed(trial, self._asked.rates)) for trial in trials]
            self._try({key: trial.params["rate"] for key, trial in zip(keys, trials, strict=True)})
            for key, trial in zip(keys, trials, strict=True):
                study.tell(trial, self.found[key])
                unet.say(f"trial {trial.number}: rate {trial.params['rate']:g}, Dice {self.found[key]:.4f}")
        return study

    def _key(self, number: int, rate: float) -> str:
        """Return what a result is kept under: in the tuned way a rate that comes again is not tried again."""
        return f"{rate:g}" if self._way.variant is unet.Variant.TUNED else f"{number} {rate:g}"

    def _try(self, rates: dict[str, float]) -> None:
        wanted = [key for key in rates if key not in self.found]
        for some in unet.chunks(wanted, self._at_once):
            self._learn({key: self._learner(key, rates[key]) for key in some})

    def _learner(self, key: str, rate: float) -> unet.Learner:
        model = unet.build(self._asked.width, self._asked.seed, self._asked.weights)
        learner = unet.Learner(model, rate, self._way)
        if key in self._running:
            learner.restore(self._running.pop(key))
            unet.say(f"going on with rate {rate:g} after {learner.epochs} epochs")
        learner.prepare(self._train)
        return learner

    def _learn(self, learners: dict[str, unet.Learner]) -> None:
        """Let some models learn side by side, epoch by epoch, and keep how far they are."""
        while learners:
            dice = dict(zip(learners, self._side_by_side([*learners.values()]), strict=True))
            done = [key for key in learners if learners[key].epochs >= self._asked.epochs]
            for key in done:
                self.found[key] = dice[key]
                del learners[key]
            if done or self._checkpoint.is_due:
                self._checkpoint.save(self._kept(learners))

    def _side_by_side(self, learners: list[unet.Learner]) -> list[float]:
        """Let each model learn one epoch, in a thread and a CUDA stream of its own; return their Dice."""
        if len(learners) == 1:
            return [self._epoch(learners[0])]
        streams: list[torch.cuda.Stream | None] = [None] * len(learners)
        if self._way.device.type == "cuda":
            torch.cuda.synchronize()  # what the main thread gave to the device is done
            streams = [_stream(number) for number in range(len(learners))]
        waiting = [
            # A thread that knows the phase it is in.
            self._pool.submit(contextvars.copy_context().run, self._epoch, learner, stream)
            for learner, stream in zip(learners, streams, strict=True)
        ]
        return [each.result() for each in waiting]

    def _epoch(self, learner: unet.Learner, stream: torch.cuda.Stream | None = None) -> float:
        with torch.cuda.stream(stream):
            learner.learn(self._train, self._asked.seed)
            return learner.judge(self._val).dice

    def _kept(self, learners: dict[str, unet.Learner]) -> dict[str, Any]:
        states = {key: learner.state() for key, learner in learners.items()}
        return {"found": self.found, "running": {**self._running, **states}}


def main() -> None:
    """Search, and write down the best."""
    asked = _arguments()
    way = unet.way_of(asked.variant, asked.device, asked.cores)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        search = Search(asked, way)
        model = unet.build(asked.width, asked.seed)
        with unet.phase("search a rate", **unet.told_of(model, asked.batch)):
            study = search.run()
    except (OSError, ValueError) as error:
        sys.exit(f"hpo: {error}")
    best = {"rate": study.best_params["rate"], "dice": study.best_value, "trials": len(study.trials)}
    Path(asked.out).write_text(json.dumps(best, indent=1) + "\n", encoding="utf-8")


def _proposed(trial: optuna.Trial, rates: list[float]) -> float:
    rate = trial.suggest_categorical("rate", rates)
    assert isinstance(rate, float)
    return rate


@cache
def _stream(_: int) -> torch.cuda.Stream:
    return torch.cuda.Stream()


def _use_one_core() -> None:
    torch.set_num_threads(1)


def _setting(asked: argparse.Namespace, files: list[str]) -> dict[str, Any]:
    """Return all that decides how a trial ends; how many trials there are does not."""
    told = ("rates", "epochs", "batch", "width", "seed", "variant")
    weights = unet.content(asked.weights) if asked.weights else 0
    return {**{name: getattr(asked, name) for name in told}, "files": unet.stamp(files), "weights": weights}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("train-images", "train-masks", "val-images", "val-masks"):
        parser.add_argument(f"--{name}", required=True, help="a list of files")
    parser.add_argument("--checkpoint", required=True, help="what to go on from, if it is there")
    parser.add_argument(
        "--rates", required=True, type=_numbers, help="learning rates to choose from: 1e-2,1e-3"
    )
    parser.add_argument("--trials", type=int, required=True)
    parser.add_argument("--out", required=True, help="the best, as JSON")
    unet.add_arguments(parser)
    return parser.parse_args()


def _numbers(text: str) -> list[float]:
    return [float(each) for each in text.split(",")]


if __name__ == "__main__":
    main()
