"""Training loops at random, as rules for training are tried on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.analyse.planted import Planted
from tests.analyse.rules.shapes import chain

STEPS = 60


@dataclass(frozen=True)
class Training:
    """A training: the run, its process, and how long it was, its data and its checkpoints."""

    run: Planted
    process: int
    total_s: float
    data_s: float
    saved_s: float


def training(seed: int, data: float = 0.1, save: float = 0.0, name: str = "save") -> Training:
    """Return a training of steps of about a second; every tenth is followed by a checkpoint."""
    rng = np.random.default_rng(seed)
    shares = np.array([data, 0.45 * (1 - data), 0.45 * (1 - data), 0.1 * (1 - data)])
    parts = shares * rng.uniform(0.9, 1.1, (STEPS, 4))
    saves = save * rng.uniform(0.9, 1.1, STEPS // 10)
    total = float(parts.sum() + saves.sum()) + 1.0
    run = Planted(total)
    process = run.phase("process", "python", 0.0, total, process=1)
    fit = run.phase("fit", "fit", 0.5, total - 0.5, parent=process, process=1)
    at = 0.5
    for number, took in enumerate(parts):
        step = run.phase("step", "step", at, at + took.sum(), parent=fit, process=1)
        kinds = ("data", "forward", "backward", "optimizer")
        chain(run, step, at, [(kind, kind, one) for kind, one in zip(kinds, took, strict=True)], process=1)
        at += float(took.sum())
        if save and number % 10 == 9:
            at = chain(run, fit, at, [("checkpoint", name, saves[number // 10])], process=1)
    return Training(run, process, total, float(parts[:, 0].sum()), float(saves.sum()))


def gpu_busy(run: Planted, seed: int, total_s: float, busy: float, scope: str = "device") -> None:
    """Put down a sample of a GPU for every second."""
    rng = np.random.default_rng(seed + 1000)
    for second in range(int(total_s) + 1):
        value = min(1.0, max(0.0, busy * rng.uniform(0.9, 1.1)))
        run.sample(
            "gpu", "busy", second, second + 1, value, name="H200 #0", scope=scope, owner=1, capacity=1.0
        )


def gpu_memory(run: Planted, total_s: float, used: float, scope: str = "device") -> None:
    """Put down how much memory of a GPU of 100 GB is used."""
    known = {"name": "H200 #0", "scope": scope, "owner": 1, "capacity": 100e9}
    run.sample("gpu", "memory used", 0.0, total_s, used * 100e9, **known)
