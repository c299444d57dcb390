"""Judges posts by text and picture together, in three ways: mean probability, logistic regression, MLP.

A post with several pictures is judged, and counted, once for each of them. All three are fitted to scores of
pictures that the single models had not seen when they gave them (the rows of the training scores with
``seen`` 0): of those that it was trained on, a model is surer than it has a right to be. The best way by
cross-validation on these pictures is marked as chosen; the test pictures have no say in it.
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support
from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier

FOLDS = 5
NAMES = ["informative", "not informative"]


class MeanProbability(ClassifierMixin, BaseEstimator):
    """The mean of both scores; there is nothing to fit."""

    def fit(self, x: np.ndarray, y: np.ndarray) -> MeanProbability:  # noqa: ARG002
        """Learn nothing."""
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Return one where the mean of the probabilities is above a half."""
        return (1 / (1 + np.exp(-x))).mean(1) > 0.5


@dataclass(frozen=True)
class Pictures:
    """Pictures, each with the scores of both models as log odds: that of its post's text first."""

    tweets: list[str]
    scores: np.ndarray
    labels: np.ndarray


def read(text: Path, image: Path, *, seen: bool) -> Pictures:
    """Return the pictures that have both scores, of posts that were seen in training or not."""
    texts = {row["tweet_id"]: float(row["score"]) for row in rows(text)}
    chosen = [row for row in rows(image) if int(row["seen"]) == seen]
    tweets = [row["image_id"].split("_")[0] for row in chosen]
    without = [tweet for tweet in tweets if tweet not in texts]
    if without or not chosen:
        raise ValueError(f"'{text}' has no score of the post {without[0] if without else 'of any picture'}")
    scores = np.array(
        [[texts[tweet], float(row["score"])] for tweet, row in zip(tweets, chosen, strict=True)]
    )
    odds = np.log(scores.clip(1e-4, 1 - 1e-4) / (1 - scores.clip(1e-4, 1 - 1e-4)))
    return Pictures(tweets, odds, np.array([int(row["label"] == "informative") for row in chosen]))


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of scores."""
    with path.open(encoding="utf-8", newline="") as lines:
        found = list(csv.DictReader(lines))
    if not found or not {"label", "score", "seen"} <= found[0].keys():
        raise ValueError(f"'{path}' has no rows with label, score and seen")
    return found


def ways(seed: int) -> dict[str, ClassifierMixin]:
    """Return the ways to fuse, the simplest first."""
    net = MLPClassifier((8,), alpha=1.0, solver="lbfgs", max_iter=500, random_state=seed)
    return {"mean_probability": MeanProbability(), "logistic_regression": LogisticRegression(), "mlp": net}


def validated(way: ClassifierMixin, train: Pictures, seed: int) -> float:
    """Return how often a way is right on pictures of posts that it was not fitted to."""
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
    guessed = cross_val_predict(way, train.scores, train.labels, groups=train.tweets, cv=folds)
    return float(accuracy_score(train.labels, guessed))


def measures(labels: np.ndarray, guessed: np.ndarray) -> list[str]:
    """Return accuracy, and precision, recall and F1 of the pictures that inform."""
    precision, recall, f1, _ = precision_recall_fscore_support(
        labels, guessed, average="binary", zero_division=0
    )
    return [f"{value:.4f}" for value in (accuracy_score(labels, guessed), precision, recall, f1)]


def write_table(path: Path, name: str, test: Pictures, guessed: np.ndarray, told: list[str]) -> None:
    """Write how a fusion does on the test pictures, beside the single models."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(
            ["method", "pictures", "accuracy", "precision", "recall", "f1", "train_accuracy", "chosen"]
        )
        table.writerow([name, len(test.labels), *measures(test.labels, guessed), *told])
        for column, single in enumerate(("text", "image")):
            table.writerow(
                [single, len(test.labels), *measures(test.labels, test.scores[:, column] > 0), "", ""]
            )


def draw(path: Path, name: str, way: ClassifierMixin, test: Pictures) -> None:
    """Draw the test pictures by both scores over what the fusion makes of them, and a confusion matrix."""
    figure = Figure(figsize=(9.5, 4.2), layout="constrained")
    plane, matrix = figure.subplots(1, 2)
    reach = float(np.abs(test.scores).max()) + 0.5
    grid = np.linspace(-reach, reach, 200)
    where = np.stack([each.ravel() for each in np.meshgrid(grid, grid)], 1)
    plane.contourf(
        grid, grid, way.predict(where).reshape(200, 200), levels=[-0.5, 0.5, 1.5], cmap="RdYlBu", alpha=0.35
    )
    for label, colour in ((1, "tab:blue"), (0, "tab:red")):
        some = test.scores[test.labels == label]
        plane.scatter(*some.T, s=9, color=colour, label=NAMES[1 - label])
    plane.set(xlabel="text: log odds", ylabel="picture: log odds", title=name.replace("_", " "))
    plane.legend(loc="upper left")
    counts = confusion_matrix(test.labels, way.predict(test.scores), labels=[1, 0])
    matrix.imshow(counts, cmap="Blues", vmin=0)
    matrix.set(xlabel="judged", ylabel="labelled", title=f"{len(test.labels):,} test pictures")
    matrix.set_xticks([0, 1], NAMES)
    matrix.set_yticks([0, 1], NAMES, rotation=90, va="center")
    for (row, column), count in np.ndenumerate(counts):
        shade = "white" if count > counts.max() / 2 else "black"
        matrix.text(column, row, f"{count:,}", ha="center", va="center", color=shade)
    figure.savefig(path)


def main() -> None:
    """Read the command line, and fuse."""
    parser = argparse.ArgumentParser(description="Judge posts by text and picture together.")
    for name in ("text", "image"):
        parser.add_argument(
            f"--{name}", type=Path, nargs=2, required=True, help="its scores: train.csv and test.csv"
        )
    parser.add_argument("--seed", type=int, default=10)
    parser.add_argument("--out", required=True, help="what the names of files begin with")
    options = parser.parse_args()
    train = read(options.text[0], options.image[0], seen=False)
    test = read(options.text[1], options.image[1], seen=False)
    if np.bincount(train.labels, minlength=2).min() < FOLDS:
        raise ValueError(
            f"'{options.image[0]}' has less than {FOLDS} unseen pictures of a label: too few to fit a fusion"
        )
    right = {name: validated(way, train, options.seed) for name, way in ways(options.seed).items()}
    best = max(right, key=lambda name: right[name])
    for name, way in ways(options.seed).items():
        way.fit(train.scores, train.labels)
        told = [f"{right[name]:.4f}", str(int(name == best))]
        write_table(Path(f"{options.out}_{name}.csv"), name, test, way.predict(test.scores), told)
        draw(Path(f"{options.out}_{name}.png"), name, way, test)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"late_fusion: {error}.")
