"""Trains the U-Net on training and validation pictures together, with the best rate that was found."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import training
import unet


def main() -> None:
    """Train, and write the weights."""
    asked = _arguments()
    way = unet.way_of(asked.variant, asked.device, asked.cores)
    try:
        images, masks = unet.names_in(asked.images), unet.names_in(asked.masks)
        _train(asked, way, unet.pairs(images, masks))
    except (OSError, ValueError) as error:
        sys.exit(f"train: {error}")


def _train(asked: argparse.Namespace, way: unet.Way, pairs: list[tuple[str, str]]) -> None:
    rate = training.best_rate(asked.parameters)
    left = unet.Checkpoint(asked.unfinished, _setting(asked, rate, pairs), way.variant)
    learner = unet.Learner(unet.build(asked.width, asked.seed, asked.weights), rate, way)
    picture = unet.read_image(pairs[0][0]).to(way.device)
    flops = training.flops_of(learner.model, picture) * len(pairs) * int(asked.epochs)
    with unet.phase("train the model", flops=flops, **unet.told_of(learner.model, asked.batch)):
        training.train(learner, way.data(pairs, asked.batch), asked.epochs, asked.seed, left)
    unet.save(asked.model, {"width": asked.width, "state": learner.model.state_dict()})


def _setting(asked: argparse.Namespace, rate: float, pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Return all that decides what the training ends with."""
    told = ("epochs", "batch", "width", "seed", "variant")
    weights = unet.content(asked.weights) if asked.weights else 0
    files = unet.stamp([name for pair in pairs for name in pair])
    return {**{name: getattr(asked, name) for name in told}, "rate": rate, "files": files, "weights": weights}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", required=True, help="a list of pictures")
    parser.add_argument("--masks", required=True, help="a list of their masks")
    parser.add_argument("--parameters", required=True, help="the best ones, as JSON")
    parser.add_argument("--unfinished", required=True, help="what to go on from, if it is there")
    parser.add_argument("--model", required=True, help="the weights to be written")
    unet.add_arguments(parser)
    return parser.parse_args()


if __name__ == "__main__":
    main()
