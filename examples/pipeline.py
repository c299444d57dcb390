"""A small workflow as people write them: simulate, clean, extract features in parallel, fit, evaluate.

It looks for faint pulses in noisy recordings of a detector. Each step is marked as a phase; without a
recorder those marks cost nothing.
"""

from __future__ import annotations

import argparse
import csv
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import longpole

SAMPLES = 256
BANDS = 24


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where data goes")
    parser.add_argument("--events", type=int, default=18_000)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()

    raw = simulate(given.folder / "events.csv", given.events)
    clean = clean_up(raw, given.folder / "events.npz")
    features, labels = extract(clean, given.workers)
    half = len(labels) // 2
    weights = fit(features[:half], labels[:half], given.epochs)
    evaluate(features[half:], labels[half:], weights)


def simulate(path: Path, events: int) -> Path:
    """Write recordings as text, as detectors do; every second one has a pulse, and some are broken."""
    with longpole.phase("simulate", events=events):
        chance = np.random.default_rng(7)
        time = np.linspace(0, 1, SAMPLES)
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            for number in range(events):
                signal = chance.normal(size=SAMPLES)
                if number % 2:
                    signal += 1.1 * np.exp(-(((time - chance.uniform(0.2, 0.8)) / 0.04) ** 2))
                row = [f"{value:.4f}" for value in signal]
                if chance.random() < 0.03:
                    row[chance.integers(SAMPLES)] = "NaN"
                writer.writerow([number % 2, *row])
    return path


def clean_up(raw: Path, path: Path) -> Path:
    """Keep the recordings that are whole, scaled to unit variance."""
    with longpole.phase("clean", megabytes=round(raw.stat().st_size / 1e6)) as phase:
        table = np.loadtxt(raw, delimiter=",", dtype=np.float32)
        kept = table[np.isfinite(table).all(axis=1)]
        signals = kept[:, 1:] / kept[:, 1:].std(axis=1, keepdims=True)
        np.savez(path, labels=kept[:, 0], signals=signals)
        phase.note(kept=len(kept), dropped=len(table) - len(kept))
    return path


def extract(path: Path, workers: int) -> tuple[np.ndarray, np.ndarray]:
    """Turn signals into features, each worker a part of them."""
    with longpole.phase("features", workers=workers):
        with ProcessPoolExecutor(workers) as pool:
            parts = list(
                pool.map(
                    features_of, *zip(*[(path, at, 2 * workers) for at in range(2 * workers)], strict=True)
                )
            )
        return np.concatenate([features for features, _ in parts]), np.concatenate(
            [labels for _, labels in parts]
        )


def features_of(path: Path, part: int, parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Match every signal against pulses of many places and widths; runs in a worker."""
    with longpole.phase("match pulses", part=part):
        data = np.load(path)
        signals, labels = data["signals"][part::parts], data["labels"][part::parts]
        time = np.linspace(0, 1, SAMPLES)
        found = np.empty((len(signals), BANDS))
        for band, width in enumerate(np.geomspace(0.01, 0.3, BANDS)):
            pulse = np.exp(-(((time - 0.5) / width) ** 2))
            pulse /= np.linalg.norm(pulse)
            for at, signal in enumerate(signals):
                found[at, band] = np.convolve(signal, pulse, mode="same").max()
        return found, labels


def fit(features: np.ndarray, labels: np.ndarray, epochs: int) -> np.ndarray:
    """Fit a logistic regression on all pairs of features, by gradient descent."""
    with longpole.phase("fit", rows=len(labels), epochs=epochs):
        inputs = expand(features)
        weights = np.zeros(inputs.shape[1])
        chance = np.random.default_rng(1)
        for epoch in range(epochs):
            with longpole.phase("epoch", kind="epoch", number=epoch) as phase:
                for rows in np.array_split(chance.permutation(len(labels)), 100):
                    error = 1 / (1 + np.exp(-inputs[rows] @ weights)) - labels[rows]
                    weights -= 0.05 * inputs[rows].T @ error / len(rows)
                phase.note(accuracy=round(float(((inputs @ weights > 0) == labels).mean()), 4))
    return weights


def evaluate(features: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> None:
    with longpole.phase("evaluate", rows=len(labels)) as phase:
        right = float(((expand(features) @ weights > 0) == labels).mean())
        phase.note(accuracy=round(right, 4))
    print(f"{right:.1%} of {len(labels):,} events told apart")


def expand(features: np.ndarray) -> np.ndarray:
    scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    one, other = np.triu_indices(scaled.shape[1])
    return np.hstack([np.ones((len(scaled), 1)), scaled, scaled[:, one] * scaled[:, other]])


if __name__ == "__main__":
    main()
