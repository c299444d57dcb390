"""The final training: epoch by epoch, from where it was broken off; and what it costs to compute."""

from __future__ import annotations

import json
from pathlib import Path

import torch
import unet
from torch import Tensor, nn


def best_rate(path: str) -> float:
    """Return the learning rate that the search found best.

    Raises:
        ValueError: The file does not say.
    """
    try:
        return float(json.loads(Path(path).read_text(encoding="utf-8"))["rate"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} has no learning rate ({error})") from error


def train(learner: unet.Learner, data: unet.Data, epochs: int, seed: int, left: unet.Checkpoint) -> None:
    """Let a model learn, and keep how far it is."""
    if state := left.load():
        learner.restore(state)
        unet.say(f"going on after {learner.epochs} epochs")
    learner.prepare(data)
    while learner.epochs < epochs:
        scores = learner.learn(data, seed)
        unet.say(
            f"epoch {learner.epochs} of {epochs}: Dice {scores.dice:.4f}, IoU {scores.iou:.4f}, "
            f"accuracy {scores.accuracy:.4f}"
        )
        if learner.epochs < epochs and left.is_due:
            left.save(learner.state())


def flops_of(model: unet.UNet, picture: Tensor) -> int:
    """Return how many floating-point operations of convolutions such a picture takes in training.

    Each has a multiplication and an addition for every weight and pixel of its result, and as many for the
    gradients of its weights and for those of its input, which the first does without.
    """
    counted: list[int] = []

    def count(layer: nn.Conv2d, _: object, result: Tensor) -> None:
        counted.append(2 * layer.weight.numel() * result.shape[2] * result.shape[3])

    hooks = [each.register_forward_hook(count) for each in model.modules() if isinstance(each, nn.Conv2d)]
    with torch.inference_mode():
        model.eval()(picture[None])
    for hook in hooks:
        hook.remove()
    return 3 * sum(counted) - counted[0]
