"""The final training: epoch by epoch, from where it was broken off; and what it costs to compute."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import torch
import unet
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode


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
    while learner.epochs < epochs:
        scores = learner.learn(data, seed)
        unet.say(
            f"epoch {learner.epochs} of {epochs}: Dice {scores.dice:.4f}, IoU {scores.iou:.4f}, "
            f"accuracy {scores.accuracy:.4f}"
        )
        if learner.epochs < epochs and left.is_due:
            left.save(learner.state())


def flops_of(model: unet.UNet, picture: Tensor) -> int:
    """Return how many floating-point operations such a picture takes in training."""
    tried = copy.deepcopy(model).train()
    with FlopCounterMode(display=False) as counter:
        two = torch.stack([picture, picture])  # one alone may have too few pixels for batch norms
        tried(two).sum().backward()
    return int(counter.get_total_flops()) // 2
