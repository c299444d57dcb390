"""Train the model with the best parameters; stop early when the validation loss no longer falls.

The model that had the smallest validation loss is kept. Test pictures are judged once, in the end, for
the curve: nothing is chosen by them.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

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
    read_parameters,
    save_state,
    side_of,
    stamp_of,
    use_cores,
    write_whole,
)
from model import VGG16, Learner, Settings, flops_of, size_of

PATIENCE = 4


def main() -> int:
    """Train; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("train", "val", "test"):
        parser.add_argument(f"--{name}", type=Path, required=True, help="a file that lists pictures")
    parser.add_argument("--parameters", type=Path, required=True, help="what the search has found")
    parser.add_argument("--checkpoint", type=Path, required=True, help="what to go on from, if it is there")
    parser.add_argument("--model", type=Path, required=True, help="where the weights go")
    parser.add_argument("--curve", type=Path, required=True, help="where a picture of the loss goes")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--weights", type=Path, help="pretrained weights of torchvision's VGG16")
    parser.add_argument("--seed", type=int, default=10)
    parser.add_argument("--workers", type=int, default=0, help="published: processes that load pictures")
    parser.add_argument("--variant", choices=("published", "tuned"), default="published")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--cores", type=int, default=1, help="how many it may use")
    given = parser.parse_args()
    try:
        train(given)
    except (OSError, ValueError) as error:
        say(f"train: {error}")
        return 1
    return 0


def train(given: argparse.Namespace) -> None:
    """Train, and write the model and the curve."""
    if given.epochs < 1:
        raise ValueError(f"--epochs is {given.epochs}; it must be above zero.")
    use_cores(given.cores)
    parameters = read_parameters(given.parameters)
    names = {name: names_in(getattr(given, name)) for name in ("train", "val", "test")}
    side = side_of(names["val"][0])
    count, model_bytes = size_of(parameters["width"], side)
    facts = {
        "model": "VGG16",
        "parameters": count,
        "model_bytes": model_bytes,
        "batch_size": parameters["batch"],
    }
    batches = batches_of(given, names, parameters["batch"])
    with phase("training", kind="fit", **facts) as mark:
        learner, best, history = learned(given, (parameters, side), batches, identity_for(given, names))
        mark.note(flops=flops_of(learner, learner.epoch - learner.begun), epochs=learner.epoch)
    learner.model.load_state_dict(best)
    test = learner.judged(batches["test"])
    say(f"test: loss {test[0]:.3f}, {test[1]:.1%} right")
    write_whole(given.model, lambda part: torch.save(best, part))
    write_whole(given.curve, lambda part: draw(part, history, test[0]))


def identity_for(given: argparse.Namespace, names: dict[str, list[str]]) -> str:
    """Return what tells this training from others."""
    told = {name: getattr(given, name) for name in ("epochs", "seed", "variant")}
    best = given.parameters.read_text(encoding="utf-8")
    return identity_of(names, best=best, weights=stamp_of(given.weights), **told)


def batches_of(given: argparse.Namespace, names: dict[str, list[str]], batch: int) -> dict[str, Any]:
    """Return batches of each split, in the way of the variant."""
    device = device_of(given.device)
    if given.variant == "published":
        workers = min(given.workers, given.cores)
        return {name: Loaded(each, batch, device, workers) for name, each in names.items()}
    return {name: Resident(*decoded(each, given.cores), batch, device) for name, each in names.items()}


def learned(
    given: argparse.Namespace, made: tuple[dict[str, Any], int], batches: dict[str, Any], identity: str
) -> tuple[Learner, dict[str, torch.Tensor], list[tuple[float, float]]]:
    """Return the learner, the weights with the smallest validation loss, and the losses on the way."""
    parameters, side = made
    torch.manual_seed(given.seed)
    model = VGG16(parameters["width"], side)
    if given.weights:
        model.load_body(given.weights)
    settings = Settings(parameters, given.epochs, given.seed, device_of(given.device), given.variant)
    learner = Learner(model, settings, batches["train"], batches["val"])
    state = load_state(given.checkpoint, identity)
    history: list[tuple[float, float]] = [tuple(each) for each in state.get("history", [])]
    best = state.get("best", {})
    if state:
        learner.restore(state)
        say(f"training: going on after {learner.epoch} of {given.epochs} epochs")
    while learner.epoch < given.epochs and not stale(history):
        began = time.monotonic()
        loss = learner.learn_epoch()
        took = time.monotonic() - began
        validation, right = learner.judged(learner.val)
        if not history or validation < min(each for _, each in history):
            best = {name: each.detach().cpu().clone() for name, each in model.state_dict().items()}
        history.append((loss, validation))
        save_state(given.checkpoint, {**learner.state(), "history": history, "best": best}, identity)
        rate = len(learner.train) * learner.train.batch / took
        say(
            f"epoch {learner.epoch}/{given.epochs}: loss {loss:.3f}, validation {validation:.3f}, "
            f"{right:.1%} right, {rate:.0f} images/s"
        )
    return learner, best, history


def stale(history: list[tuple[float, float]]) -> bool:
    """Return whether the validation loss has not fallen for some epochs."""
    losses = [validation for _, validation in history]
    return len(losses) > PATIENCE and min(losses[-PATIENCE:]) >= min(losses[:-PATIENCE])


def draw(path: Path, history: list[tuple[float, float]], test: float) -> None:
    """Draw the losses by epoch."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    epochs = range(1, len(history) + 1)
    for losses, name in zip(zip(*history, strict=True), ("training", "validation"), strict=True):
        axes.plot(epochs, losses, marker="o", label=name)
    axes.axhline(test, color="grey", linestyle="dashed", label="test, in the end")
    axes.set(xlabel="epoch", ylabel="cross-entropy")
    axes.legend()
    figure.savefig(path, format="png", dpi=100)


def say(text: str) -> None:
    """Tell how it goes."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
