"""Judge the model on test pictures: results as a table, and which classes it mistakes for which."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
from data import (
    Loaded,
    Resident,
    decoded,
    device_of,
    names_in,
    phase,
    read_parameters,
    read_tensors,
    side_of,
    use_cores,
    write_whole,
)
from model import CLASSES, VGG16, Settings, placed, scores_of

NAMES = ("round", "in-between", "cigar", "edge-on", "spiral")


def main() -> int:
    """Evaluate; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", type=Path, required=True, help="a file that lists pictures")
    parser.add_argument("--model", type=Path, required=True, help="the weights")
    parser.add_argument("--parameters", type=Path, required=True, help="what the search has found")
    parser.add_argument("--matrix", type=Path, required=True, help="where the confusion matrix goes")
    parser.add_argument("--results", type=Path, required=True, help="where the results go, as CSV")
    parser.add_argument("--variant", choices=("published", "tuned"), default="published")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--cores", type=int, default=1, help="how many it may use")
    given = parser.parse_args()
    try:
        evaluate(given)
    except (OSError, ValueError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 1
    return 0


def evaluate(given: argparse.Namespace) -> None:
    """Judge, and write both files."""
    use_cores(given.cores)
    matrix = confusion(given)
    results = results_of(matrix)
    write_whole(given.results, lambda part: write_results(part, results))
    write_whole(given.matrix, lambda part: draw(part, matrix, results["accuracy"]))
    print(", ".join(f"{name} {value:.3f}" for name, value in results.items()), file=sys.stderr)


def confusion(given: argparse.Namespace) -> np.ndarray:
    """Return how many pictures of each class, by row, were taken for each class, by column."""
    names, parameters = names_in(given.test), read_parameters(given.parameters)
    device = device_of(given.device)
    settings = Settings(parameters, 0, 0, device, given.variant)
    model = placed(loaded(given.model, parameters["width"], side_of(names[0])), settings)
    if given.variant == "tuned":
        batches: Any = Resident(*decoded(names, given.cores), parameters["batch"], device)
    else:
        batches = Loaded(names, parameters["batch"], device)
    with phase("inference", kind="predict", model="VGG16", images=len(names)):
        scores, labels = scores_of(model, batches, settings)
    found = np.zeros((CLASSES, CLASSES), int)
    np.add.at(found, (labels.numpy(), scores.argmax(1).numpy()), 1)
    return found


def loaded(path: Path, width: float, side: int) -> VGG16:
    """Return the trained network.

    Raises:
        ValueError: The file does not hold it.
    """
    model = VGG16(width, side)
    try:
        model.load_state_dict(read_tensors(path))
    except Exception as error:
        raise ValueError(
            f"{path} does not hold the weights of this network ({type(error).__name__}). Train it anew."
        ) from error
    return model


def results_of(matrix: np.ndarray) -> dict[str, float]:
    """Return accuracy, and precision, recall and F1 as means over the classes that there are.

    Examples:
        >>> {name: round(value, 3) for name, value in results_of(np.array([[3, 1], [0, 4]])).items()}
        {'accuracy': 0.875, 'precision': 0.9, 'recall': 0.875, 'f1': 0.873}
    """
    right, actual, taken = np.diag(matrix), matrix.sum(1), matrix.sum(0)
    precision = right / np.maximum(taken, 1)
    recall = right / np.maximum(actual, 1)
    f1 = 2 * right / np.maximum(actual + taken, 1)
    there = actual > 0
    means = {name: float(each[there].mean()) for name, each in (("precision", precision), ("recall", recall))}
    return {"accuracy": float(right.sum() / matrix.sum()), **means, "f1": float(f1[there].mean())}


def write_results(path: Path, results: dict[str, float]) -> None:
    """Write one row, with a header."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(results)
        table.writerow(f"{value:.6f}" for value in results.values())


def draw(path: Path, matrix: np.ndarray, accuracy: float) -> None:
    """Draw the matrix; each row is shaded by its shares."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 5), layout="constrained")
    axes = figure.subplots()
    shares = matrix / np.maximum(matrix.sum(1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(CLASSES), NAMES, rotation=30)
    axes.set_yticks(range(CLASSES), NAMES)
    axes.set(xlabel="taken for", ylabel="is", title=f"{accuracy:.1%} of {matrix.sum():,} are right")
    for (row, column), count in np.ndenumerate(matrix):
        colour = "white" if shares[row, column] > 0.5 else "black"
        axes.text(column, row, f"{count:,}", ha="center", va="center", color=colour)
    figure.savefig(path, format="png", dpi=100)


if __name__ == "__main__":
    sys.exit(main())
