"""The final training: epoch by epoch, from where it was broken off; and what it costs to compute."""

from __future__ import annotations

import json
from pathlib import Path

import torch
import unet
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


def flops_of_step(width: float, batch: int, size: tuple[int, int]) -> int:
    """Return how many floating-point operations one training step has, counted without computing anything."""
    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        images = torch.empty(batch, 1, *size, dtype=torch.uint8)
        unet.UNet(width)(images).sum().backward()
    return int(counter.get_total_flops())
