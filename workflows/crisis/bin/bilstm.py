"""The model of texts: search its hyper-parameters, train it, and score posts with it.

    bilstm.py search --texts train.csv dev.csv test.csv --vectors glove.txt --out best.json
    bilstm.py train --texts ... --vectors glove.txt --parameters best.json --model bilstm.pth --loss l.png --accuracy a.png
    bilstm.py infer --texts ... --model bilstm.pth --train train_scores.csv --test test_scores.csv --matrix matrix.png

Model: an embedding that begins as GloVe vectors and is trained on, a bidirectional LSTM, a convolution over its outputs,
the largest of each filter, and one number. A search learns from the training posts and is judged on the validation posts;
the scores that its best trial gave these travel with the parameters and the weights, and are the validation posts' scores
in the end: a model that was trained on them could not judge them fairly. Nothing looks at the test posts before ``infer``.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import math
import os
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.utils.data import DataLoader, TensorDataset

try:
    from longpole import phase
except ImportError:  # not everywhere; then nothing is marked

    def phase(name: str, kind: str = "phase", **attributes: object) -> Any:  # noqa: ANN401, ARG001
        """Stand in for the marks of a recorder that is not here."""
        return contextlib.nullcontext()


SPLITS = ("train", "dev", "test")
PADDING, UNKNOWN = 0, 1
POSTS_ASKED = 1024
Batch = tuple[Tensor, Tensor, Tensor]
Attempt = Callable[[list[dict[str, float]]], list[dict[str, Any]]]


# ------------------------------------------------------------------------------------------ texts and words


@dataclass(frozen=True)
class Texts:
    """Posts of a split."""

    names: list[str]
    words: list[list[str]]
    labels: list[float]


def read_texts(paths: list[Path]) -> dict[str, Texts]:
    """Return the posts of all splits; files are told apart by their names."""
    found = {path.stem: _read_texts(path) for path in paths}
    if set(found) != set(SPLITS):
        raise ValueError(
            f"--texts should be train.csv, dev.csv and test.csv, not {', '.join(map(str, paths))}"
        )
    return found


def _read_texts(path: Path) -> Texts:
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    if not rows or not {"tweet_id", "text", "label"} <= rows[0].keys():
        raise ValueError(f"'{path}' has no posts with tweet_id, text and label")
    labels = [float(row["label"] == "informative") for row in rows]
    return Texts([row["tweet_id"] for row in rows], [row["text"].split() for row in rows], labels)


def joined(first: Texts, second: Texts) -> Texts:
    """Return the posts of two splits."""
    return Texts(first.names + second.names, first.words + second.words, first.labels + second.labels)


def frequent_words(texts: Texts, count: int) -> list[str]:
    """Return the most frequent words; of equally frequent ones the first of the alphabet."""
    counted = Counter(word for words in texts.words for word in words)
    return [word for word, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:count]]


def numbered(texts: Texts, words: list[str], length: int) -> Batch:
    """Return posts as rows of numbers of words, cut or filled up to a length, with their own lengths and labels."""
    number = {word: n for n, word in enumerate(words, UNKNOWN + 1)}
    rows = np.full((len(texts.words), length), PADDING, np.int64)
    lengths = np.ones(len(texts.words), np.int64)
    for row, (n, text) in zip(rows, enumerate(texts.words), strict=True):
        found = [number.get(word, UNKNOWN) for word in text[:length]] or [UNKNOWN]
        row[: len(found)], lengths[n] = found, len(found)
    return torch.from_numpy(rows), torch.from_numpy(lengths), torch.tensor(texts.labels)


def vectors_of(words: list[str], path: Path, options: argparse.Namespace) -> Tensor:
    """Return a row for padding, for unknown words, and for each word; those without a vector get one by chance."""
    find = known_vectors if options.variant == "tuned" else all_vectors
    with phase("read vectors", path=path):
        known = find(path, set(words))
    dimensions = len(next(iter(known.values()))) if known else 200
    chance = np.random.default_rng(options.seed)
    rows = chance.normal(0, 0.1, (len(words) + 2, dimensions)).astype(np.float32)
    rows[PADDING] = 0
    for n, word in enumerate(words, UNKNOWN + 1):
        rows[n] = known.get(word, rows[n])
    return torch.from_numpy(rows)


def all_vectors(path: Path, words: set[str]) -> dict[str, np.ndarray]:  # noqa: ARG001
    """Return the vectors of a file, of all words: as published, and slow."""
    with path.open(encoding="utf-8") as lines:
        return {line.split(" ", 1)[0]: _vector(line) for line in lines}


def known_vectors(path: Path, words: set[str]) -> dict[str, np.ndarray]:
    """Return the vectors of these words alone: other lines are not looked at beyond their word."""
    wanted = {word.encode() for word in words}
    with path.open("rb") as lines:
        found = (line.decode() for line in lines if line[: line.find(b" ")] in wanted)
        return {line.split(" ", 1)[0]: _vector(line) for line in found}


def _vector(line: str) -> np.ndarray:
    try:
        return np.array(line.split()[1:], np.float32)
    except ValueError as error:
        raise ValueError(
            f"the line of vectors '{line[:40].strip()}...' has something that is no number"
        ) from error


# ------------------------------------------------------------------------------------------ model


class BiLSTM(nn.Module):
    """Words to one number: above zero, the post informs."""

    def __init__(self, vectors: Tensor, hidden: int, filters: int, dropout: float) -> None:
        """Begin with vectors, one row for each word."""
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors, freeze=False, padding_idx=PADDING)
        self.lstm = nn.LSTM(vectors.shape[1], hidden, batch_first=True, bidirectional=True)
        self.convolution = nn.Conv1d(2 * hidden, filters, 3, padding=1)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(filters, 1)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Return a number for each row; what is beyond its length has no effect on it."""
        read = self.dropout(self.embedding(words))
        packed = pack_padded_sequence(read, lengths.cpu(), batch_first=True, enforce_sorted=False)
        said, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=words.shape[1])
        found = torch.relu(self.convolution(said.transpose(1, 2)))
        beyond = torch.arange(words.shape[1], device=words.device) >= lengths.to(words.device)[:, None]
        strongest = found.masked_fill(beyond[:, None], 0).amax(2)
        return self.output(self.dropout(strongest)).squeeze(1)


def forward_flops(model: BiLSTM, words: int) -> int:
    """Return the floating-point operations of so many words, once through the model."""
    return 2 * words * (sum(p.numel() for p in model.lstm.parameters()) + model.convolution.weight.numel())


def described(model: nn.Module, options: argparse.Namespace) -> dict[str, object]:
    """Return what the marks of a search or training say about its model."""
    weights = list(model.parameters())
    held = sum(each.numel() * each.element_size() for each in weights)
    count = sum(each.numel() for each in weights)
    return {"model": "BiLSTM", "parameters": count, "model_bytes": held, "batch_size": options.batch}


# ------------------------------------------------------------------------------------------ learning


class Learner:
    """A model that learns, with the parameters it learns by."""

    def __init__(self, vectors: Tensor, parameters: dict[str, float], options: argparse.Namespace) -> None:
        """Begin with a model that has learned nothing yet; with one seed all begin alike."""
        torch.manual_seed(options.seed)
        self.parameters = parameters
        self.model = BiLSTM(vectors, options.hidden, options.filters, parameters["dropout"]).to(
            options.device
        )
        fused = options.variant == "tuned" and options.device == "cuda"
        self.optimizer = torch.optim.Adam(self.model.parameters(), parameters["rate"], fused=fused or None)

    def step(self, batch: Batch, rate: float) -> Tensor:
        """Learn from a batch; return the sum of its losses, and how many posts were judged rightly."""
        words, lengths, labels = batch
        self.optimizer.param_groups[0]["lr"] = rate
        self.optimizer.zero_grad(set_to_none=True)
        answers = self.model(words, lengths)
        loss = nn.functional.binary_cross_entropy_with_logits(answers, labels)
        loss.backward()
        self.optimizer.step()
        return torch.stack([loss.detach() * len(labels), ((answers.detach() > 0) == (labels > 0.5)).sum()])

    def state(self) -> dict[str, Any]:
        """Return what is needed to go on."""
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def restore(self, state: dict[str, Any] | None) -> None:
        """Go on from a state, if there is one."""
        if state:
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])


def batches(data: Batch, order: Tensor, count: int, options: argparse.Namespace) -> Iterator[Batch]:
    """Yield posts in an order, so many at a time, on the device."""
    if options.variant == "tuned":
        for picks in order.split(count):
            lengths = data[1][picks]
            here = picks.to(data[0].device)
            yield data[0][here, : int(lengths.max())], lengths, data[2][here]
        return
    loader = DataLoader(TensorDataset(*data), count, sampler=order.tolist(), generator=torch.Generator())
    for words, lengths, labels in loader:
        yield words.to(options.device), lengths, labels.to(options.device)


def placed(data: Batch, options: argparse.Namespace) -> Batch:
    """Return posts where they are used: the tuned variant keeps all of them on the device."""
    if options.variant == "tuned":
        return data[0].to(options.device), data[1], data[2].to(options.device)
    return data


def learn(learners: list[Learner], data: Batch, epoch: int, options: argparse.Namespace) -> list[list[float]]:
    """Go through all posts once, with all learners in step; return mean loss and accuracy of each.

    Chance begins anew with each epoch, from the seed and its number: a training that goes on after a kill draws what
    it would have drawn. The rate falls evenly to zero over all epochs.
    """
    posts = len(data[2])
    order = torch.randperm(posts, generator=torch.Generator().manual_seed(options.seed * 1000 + epoch))
    torch.manual_seed(options.seed * 1000 + epoch)
    every, done = options.epochs * math.ceil(posts / options.batch), epoch * math.ceil(posts / options.batch)
    sums = torch.zeros(len(learners), 2, device=options.device)
    for learner in learners:
        learner.model.train()
    mark = (
        phase("epoch", kind="epoch", number=epoch) if options.variant == "tuned" else contextlib.nullcontext()
    )
    with mark:
        for n, batch in enumerate(batches(data, order, options.batch, options), done):
            for learner, total in zip(learners, sums, strict=True):
                total += learner.step(batch, learner.parameters["rate"] * (1 - n / every))
        return (sums / posts).tolist()


def ask(model: BiLSTM, data: Batch, options: argparse.Namespace) -> Tensor:
    """Return what a model answers for each post."""
    model.eval()
    with torch.no_grad():
        order = torch.arange(len(data[2]))
        given = [model(words, lengths) for words, lengths, _ in batches(data, order, POSTS_ASKED, options)]
    return torch.cat(given).float().cpu()


# ------------------------------------------------------------------------------------------ what a kill leaves


def fit(
    learners: list[Learner], data: Batch, state: dict[str, Any], options: argparse.Namespace
) -> list[Any]:
    """Train learners through all epochs, from where an attempt before has left them; return how it went."""
    for learner, left in zip(learners, state["open"] or [None] * len(learners), strict=True):
        learner.restore(left)
    for epoch in range(len(state["curve"]), options.epochs):
        state["curve"].append(learn(learners, data, epoch, options))
        state["open"] = [learner.state() for learner in learners]
        keep(state, options)
    curve, state["curve"], state["open"] = state["curve"], [], []
    return curve


def keep(state: dict[str, Any], options: argparse.Namespace) -> None:
    """Leave a state for the next attempt."""
    if options.unfinished:
        save(options.unfinished, {**state, "settings": settings_of(options)})


def kept(options: argparse.Namespace) -> dict[str, Any]:
    """Return what an attempt before has left; say so if it cannot be used, and start fresh."""
    fresh: dict[str, Any] = {"tried": [], "curve": [], "open": []}
    if not options.unfinished or not options.unfinished.exists():
        return fresh
    unreadable = (OSError, RuntimeError, ValueError, LookupError, TypeError, EOFError, pickle.UnpicklingError)
    try:
        state = dict(torch.load(options.unfinished, map_location=options.device, weights_only=True))
        if state.pop("settings") == settings_of(options):
            return state
        why = "was left by other settings"
    except unreadable as error:
        why = f"cannot be read ({type(error).__name__})"
    print(f"bilstm: '{options.unfinished}' {why}: starting fresh", file=sys.stderr)
    return fresh


def settings_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the options as texts."""
    return {name: str(value) for name, value in vars(options).items() if name != "run"}


def save(path: Path, content: object) -> None:
    """Save with PyTorch, whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    torch.save(content, temporary)
    temporary.replace(path)


# ------------------------------------------------------------------------------------------ search


def search(options: argparse.Namespace) -> None:
    """Try some parameters on the training posts, and write down the best by the loss of the validation posts."""
    texts = read_texts(options.texts)
    words = frequent_words(texts["train"], options.words)
    vectors = vectors_of(words, options.vectors, options)
    train, dev = (
        placed(numbered(texts[split], words, options.length), options) for split in ("train", "dev")
    )
    state = kept(options)

    def attempt(proposals: list[dict[str, float]]) -> list[dict[str, Any]]:
        learners = [Learner(vectors, proposal, options) for proposal in proposals]
        fit(learners, train, state, options)
        return [judged(learner, dev, options) for learner in learners]

    with phase("search", **described(Learner(vectors, {"rate": 1, "dropout": 0}, options).model, options)):
        trials = tried(attempt, state, options)
    best = min(trials, key=lambda trial: trial["loss"])
    held_out = dict(zip(texts["dev"].names, best["scores"], strict=True))
    told = [{**trial["parameters"], "loss": trial["loss"], "accuracy": trial["accuracy"]} for trial in trials]
    options.out.write_text(json.dumps({**best["parameters"], "trials": told, "held_out": held_out}, indent=1))


def judged(learner: Learner, dev: Batch, options: argparse.Namespace) -> dict[str, Any]:
    """Return how a learner did on the validation posts, and its scores of them."""
    answers, labels = ask(learner.model, dev, options), dev[2].cpu()
    loss = float(nn.functional.binary_cross_entropy_with_logits(answers, labels))
    return {
        "parameters": learner.parameters,
        "loss": loss if math.isfinite(loss) else sys.float_info.max,
        "accuracy": float(((answers > 0) == (labels > 0.5)).float().mean()),
        "scores": [round(score, 5) for score in answers.sigmoid().tolist()],
    }


def tried(attempt: Attempt, state: dict[str, Any], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Let Optuna propose, and try what it proposes; return all trials.

    The study is asked and told anew what an attempt before has tried already, so it goes on to propose what it would
    have. As published, one trial comes after the other; the tuned variant takes all proposals first, and trains
    them in step.
    """
    import optuna

    choices = {"rate": options.rates, "dropout": options.dropouts}
    space = {name: optuna.distributions.CategoricalDistribution(values) for name, values in choices.items()}
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=options.seed))
    wanted = min(options.trials, math.prod(map(len, choices.values())))
    trials: list[dict[str, Any]] = []
    while len(trials) < wanted:
        asked: list[optuna.Trial] = []
        while len(asked) < (wanted - len(trials) if options.variant == "tuned" else 1):
            trial = study.ask(space)
            if trial.params in [*(each.params for each in asked), *(each["parameters"] for each in trials)]:
                study.tell(trial, state=optuna.trial.TrialState.PRUNED)  # again the same: nothing to learn
            else:
                asked.append(trial)
        if len(state["tried"]) == len(trials):
            state["tried"] += attempt([trial.params for trial in asked])
            keep(state, options)
        for trial in asked:
            trials.append(state["tried"][len(trials)])
            study.tell(trial, trials[-1]["loss"])
            print(f"bilstm: {trial.params}: loss {trials[-1]['loss']:.4f}", file=sys.stderr)
    return trials


# ------------------------------------------------------------------------------------------ train and infer


def train(options: argparse.Namespace) -> None:
    """Train with the best parameters on training and validation posts together; write weights and curves."""
    texts, best = read_texts(options.texts), json.loads(options.parameters.read_text())
    both = joined(texts["train"], texts["dev"])
    words = frequent_words(both, options.words)
    data = placed(numbered(both, words, options.length), options)
    learner = Learner(vectors_of(words, options.vectors, options), best, options)
    flops = 3 * options.epochs * forward_flops(learner.model, int(data[1].sum()))
    with phase("training", flops=flops, **described(learner.model, options)):
        curve = fit([learner], data, kept(options), options)
    shape = {"hidden": options.hidden, "filters": options.filters, "length": options.length, "words": words}
    weights = {name: weight.cpu() for name, weight in learner.model.state_dict().items()}
    save(options.model, {"weights": weights, "held_out": best["held_out"], **shape})
    for number, (what, path) in enumerate((("loss", options.loss), ("accuracy", options.accuracy))):
        draw_curve(what, [epoch[0][number] for epoch in curve], path)


def infer(options: argparse.Namespace) -> None:
    """Score all posts; those of the validation have the scores that they got while they were unseen."""
    texts = read_texts(options.texts)
    saved = torch.load(options.model, map_location="cpu", weights_only=True)
    model = BiLSTM(
        torch.zeros_like(saved["weights"]["embedding.weight"]), saved["hidden"], saved["filters"], 0.0
    )
    model.load_state_dict(saved["weights"])
    model.to(options.device)
    scores = {"dev": saved["held_out"]}
    with phase("inference", **described(model, options)):
        for split in ("train", "test"):
            data = placed(numbered(texts[split], saved["words"], saved["length"]), options)
            scores[split] = dict(
                zip(texts[split].names, ask(model, data, options).sigmoid().tolist(), strict=True)
            )
    write_scores(options.train, texts, scores, ("train", "dev"))
    write_scores(options.test, texts, scores, ("test",))
    draw_matrix(texts["test"].labels, [score > 0.5 for score in scores["test"].values()], options.matrix)


def write_scores(
    path: Path, texts: dict[str, Texts], scores: dict[str, dict[str, float]], splits: tuple[str, ...]
) -> None:
    """Write how likely each post informs, and whether the model that says so had seen it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["tweet_id", "split", "label", "score", "seen"])
        for split in splits:
            for name, label in zip(texts[split].names, texts[split].labels, strict=True):
                table.writerow([name, split, int(label), f"{scores[split][name]:.5f}", int(split == "train")])


def draw_curve(what: str, values: list[float], path: Path) -> None:
    """Draw how something went over the epochs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.5), layout="constrained")
    axes = figure.add_subplot(xlabel="epoch", ylabel=what, title=f"BiLSTM: {what} while training")
    axes.plot(range(1, len(values) + 1), values, marker="o")
    axes.xaxis.get_major_locator().set_params(integer=True)
    figure.savefig(path)


def draw_matrix(labels: list[float], found: list[bool], path: Path) -> None:
    """Draw how many posts of each label were judged how."""
    from matplotlib.figure import Figure

    counts = np.zeros((2, 2), int)
    np.add.at(counts, (1 - np.array(labels, int), 1 - np.array(found, int)), 1)
    figure, names = Figure(figsize=(4.5, 4), layout="constrained"), ["informative", "not informative"]
    axes = figure.add_subplot(xlabel="judged", ylabel="labelled", title=f"BiLSTM: {len(labels):,} test posts")
    axes.imshow(counts, cmap="Blues", vmin=0)
    axes.set_xticks([0, 1], names)
    axes.set_yticks([0, 1], names, rotation=90, va="center")
    for (row, column), count in np.ndenumerate(counts):
        axes.text(
            column,
            row,
            f"{count:,}",
            ha="center",
            va="center",
            color="white" if count > counts.max() / 2 else "black",
        )
    figure.savefig(path)


# ------------------------------------------------------------------------------------------ command line


def numbers(text: str) -> list[float]:
    """Return numbers that are written with commas between them."""
    return [float(each) for each in text.split(",")]


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--texts", type=Path, nargs=3, required=True, help="train.csv, dev.csv and test.csv")
    common.add_argument("--batch", type=int, default=128)
    common.add_argument("--seed", type=int, default=10)
    common.add_argument("--variant", choices=("published", "tuned"), default="published")
    common.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    common.add_argument("--threads", type=int, default=0, help="threads of PyTorch; 0 leaves it as it is")
    learning = argparse.ArgumentParser(add_help=False, parents=[common])
    learning.add_argument("--vectors", type=Path, required=True, help="a word and its numbers on each line")
    learning.add_argument("--epochs", type=int, default=10)
    learning.add_argument("--words", type=int, default=1000, help="how many words the model knows")
    learning.add_argument("--length", type=int, default=150, help="how many words of a text it reads")
    learning.add_argument("--hidden", type=int, default=128, help="how wide the LSTM is, each way")
    learning.add_argument("--filters", type=int, default=64, help="how wide the convolution is")
    learning.add_argument(
        "--unfinished", type=Path, help="what is left for the next attempt if this is killed"
    )
    parser = argparse.ArgumentParser(description="The model of texts.")
    commands = parser.add_subparsers(required=True, metavar="search|train|infer")
    searching = commands.add_parser("search", parents=[learning], help="find the best parameters")
    searching.set_defaults(run=search)
    searching.add_argument("--trials", type=int, default=2)
    searching.add_argument("--rates", type=numbers, default=[1e-3, 1e-4, 1e-5])
    searching.add_argument("--dropouts", type=numbers, default=[0.1, 0.2, 0.4])
    searching.add_argument("--out", type=Path, required=True)
    training = commands.add_parser("train", parents=[learning], help="train with them")
    training.set_defaults(run=train)
    asking = commands.add_parser("infer", parents=[common], help="score posts")
    asking.set_defaults(run=infer)
    for command, names in ((training, "parameters model loss accuracy"), (asking, "model train test matrix")):
        for name in names.split():
            command.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    options = options_of(arguments)
    if options.device == "auto":
        options.device = "cuda" if torch.cuda.is_available() else "cpu"
    if options.threads:
        torch.set_num_threads(options.threads)
    options.run(options)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"bilstm: {error}.")
