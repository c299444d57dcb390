"""The model of texts: search its hyper-parameters, train it, and score posts with it.

    bilstm.py search --texts train.csv dev.csv test.csv --vectors glove.txt --out best.json
    bilstm.py train --texts ... --vectors glove.txt --parameters best.json
                    --model model.pth --loss loss.png --accuracy accuracy.png
    bilstm.py infer --texts ... --model model.pth --train train.csv --test test.csv --matrix matrix.png

Model: an embedding that begins as GloVe vectors and is trained on, a bidirectional LSTM, a convolution over
its outputs, the largest of each filter, and one number. A search learns from the training posts and is judged
on the validation posts. The scores that its best trial gave these travel with the parameters and the weights,
and are the validation posts' scores in the end: a model that was trained on them could not judge them
fairly. Nothing looks at the test posts before ``infer``.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import math
import os
import pickle
import struct
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
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

    def phase(*_: object, **__: object) -> contextlib.nullcontext[None]:  # type: ignore[no-redef]
        """Stand in for the marks of a recorder that is not here."""
        return contextlib.nullcontext()


# What each command reads and writes besides texts, and what holds if nothing is said: the paper's numbers.
FILES = {
    "search": ("vectors", "out"),
    "train": ("vectors", "parameters", "model", "loss", "accuracy"),
    "infer": ("model", "train", "test", "matrix"),
}
DEFAULTS = {
    "batch": 128, "epochs": 10, "trials": 2, "words": 1000, "length": 150, "hidden": 128, "filters": 64,
    "seed": 10, "threads": 0,
}  # fmt: skip
CHOICES = {"rate": [1e-3, 1e-4, 1e-5], "dropout": [0.1, 0.2, 0.4]}
PADDING, UNKNOWN = 0, 1
POSTS_ASKED = 1024
Rows = list[dict[str, str]]
Batch = tuple[Tensor, Tensor, Tensor]
Attempt = Callable[[list[dict[str, float]]], list[dict[str, Any]]]
# All that reading a file of PyTorch can raise if it is not whole, or is none.
DAMAGE = (
    OSError, RuntimeError, ValueError, LookupError, TypeError, AttributeError, EOFError,
    pickle.UnpicklingError, struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


# ------------------------------------------------------------------------------------ texts and words


def read_texts(paths: list[Path]) -> dict[str, Rows]:
    """Return the posts of all splits; files are told apart by their names."""
    found = {}
    for path in paths:
        with path.open(encoding="utf-8", newline="") as lines:
            found[path.stem] = list(csv.DictReader(lines))
        if not found[path.stem] or not {"tweet_id", "text", "label"} <= found[path.stem][0].keys():
            raise ValueError(f"'{path}' has no posts with tweet_id, text and label")
    if found.keys() != {"train", "dev", "test"}:
        raise ValueError(f"--texts are train.csv, dev.csv and test.csv, not {', '.join(map(str, paths))}")
    return found


def frequent_words(posts: Rows, count: int) -> list[str]:
    """Return the most frequent words; of equally frequent ones the first of the alphabet."""
    counted = Counter(word for post in posts for word in post["text"].split())
    return [word for word, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:count]]


def numbered(posts: Rows, words: list[str], length: int) -> Batch:
    """Return posts as rows of numbers of words, cut or filled up to a length, with lengths and labels."""
    number = {word: n for n, word in enumerate(words, UNKNOWN + 1)}
    texts = [
        [number.get(word, UNKNOWN) for word in post["text"].split()[:length]] or [UNKNOWN] for post in posts
    ]
    rows = [text + [PADDING] * (length - len(text)) for text in texts]
    labels = [float(post["label"] == "informative") for post in posts]
    return torch.tensor(rows), torch.tensor([len(text) for text in texts]), torch.tensor(labels)


def vectors_of(words: list[str], options: argparse.Namespace) -> Tensor:
    """Return a row for padding, one for unknown words, and one for each word; by chance if it has none."""
    find = known_vectors if options.variant == "tuned" else all_vectors
    with phase("read vectors", path=options.vectors):
        known = find(options.vectors, set(words))
    if not known:
        raise ValueError(f"'{options.vectors}' has no vector of any word of the texts")
    chance = np.random.default_rng(options.seed)
    rows = chance.normal(0, 0.1, (len(words) + 2, len(next(iter(known.values()))))).astype(np.float32)
    rows[PADDING] = 0
    for n, word in enumerate(words, UNKNOWN + 1):
        rows[n] = known.get(word, rows[n])
    return torch.from_numpy(rows)


def all_vectors(path: Path, words: set[str]) -> dict[str, np.ndarray]:
    """Return the vectors of these words, as published: of all words at first, which takes long."""
    with path.open(encoding="utf-8") as lines:
        found = {line.split(" ", 1)[0]: np.array(line.split()[1:], np.float32) for line in lines}
    return {word: found[word] for word in words if word in found}


def known_vectors(path: Path, words: set[str]) -> dict[str, np.ndarray]:
    """Return the vectors of these words: of other lines nothing is looked at but the word."""
    wanted = {word.encode() for word in words}
    with path.open("rb") as lines:
        found = (line.decode().split() for line in lines if line[: line.find(b" ")] in wanted)
        return {word: np.array(numbers, np.float32) for word, *numbers in found}


# ------------------------------------------------------------------------------------ model


class BiLSTM(nn.Module):
    """Words to one number: above zero, the post informs."""

    def __init__(self, vectors: Tensor, hidden: int, filters: int, dropout: float) -> None:
        """Begin with a copy of vectors, one row for each word."""
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors.clone(), freeze=False, padding_idx=PADDING)
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


def described(model: BiLSTM, options: argparse.Namespace) -> dict[str, Any]:
    """Return what the marks of a search or training say about its model."""
    count = sum(each.numel() for each in model.parameters())
    return {"model": "BiLSTM", "parameters": count, "model_bytes": 4 * count, "batch_size": options.batch}


def training_flops(model: BiLSTM, words: int) -> int:
    """Return the floating-point operations of learning from so many words once: backward is twice forward."""
    weights = [*model.lstm.parameters(), model.convolution.weight]
    return 3 * 2 * words * sum(each.numel() for each in weights)


# ------------------------------------------------------------------------------------ learning


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


def placed(data: Batch, options: argparse.Namespace) -> Batch:
    """Return posts where they are used: the tuned variant keeps all of them on the device."""
    where = options.device if options.variant == "tuned" else "cpu"
    return data[0].to(where), data[1], data[2].to(where)


def batches(data: Batch, order: Tensor, count: int, options: argparse.Namespace) -> Iterator[Batch]:
    """Yield posts in an order, so many at a time, on the device."""
    if options.variant == "published":
        loader = DataLoader(TensorDataset(*data), count, sampler=order.tolist(), generator=torch.Generator())
        for words, lengths, labels in loader:
            yield words.to(options.device), lengths, labels.to(options.device)
        return
    for picks in order.split(count):
        lengths, here = data[1][picks], picks.to(data[0].device)
        yield data[0][here, : int(lengths.max())], lengths, data[2][here]


def learn(learners: list[Learner], data: Batch, epoch: int, options: argparse.Namespace) -> list[list[float]]:
    """Go through all posts once, with all learners in step; return mean loss and accuracy of each.

    Chance begins anew with each epoch, from the seed and its number: a training that goes on after a kill
    draws what it would have drawn. The rate falls evenly to zero over all epochs.
    """
    posts, chance = len(data[2]), options.seed * 1000 + epoch
    order = torch.randperm(posts, generator=torch.Generator().manual_seed(chance))
    torch.manual_seed(chance)
    steps = math.ceil(posts / options.batch)
    sums = [torch.zeros(2, device=options.device) for _ in learners]
    for learner in learners:
        learner.model.train()
    tuned = options.variant == "tuned"  # its loop is one that a recorder does not see by itself
    with phase("epoch", kind="epoch", number=epoch) if tuned else contextlib.nullcontext():
        for n, batch in enumerate(batches(data, order, options.batch, options), epoch * steps):
            for learner, total in zip(learners, sums, strict=True):
                rate = learner.parameters["rate"] * (1 - n / (options.epochs * steps))
                total.add_(learner.step(batch, rate))
        return [(total / posts).tolist() for total in sums]


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


def ask(model: BiLSTM, data: Batch, options: argparse.Namespace) -> Tensor:
    """Return what a model answers for each post."""
    model.eval()
    with torch.no_grad():
        every = batches(data, torch.arange(len(data[2])), POSTS_ASKED, options)
        return torch.cat([model(words, lengths) for words, lengths, _ in every]).cpu()


# ------------------------------------------------------------------------------------ what a kill leaves


def keep(state: dict[str, Any], options: argparse.Namespace) -> None:
    """Leave a state for the next attempt."""
    if options.unfinished:
        save(options.unfinished, {**state, "settings": settings_of(options)})


def kept(options: argparse.Namespace) -> dict[str, Any]:
    """Return what an attempt before has left, and say so; if it cannot be used, start fresh."""
    fresh: dict[str, Any] = {"tried": [], "curve": [], "open": []}
    if not options.unfinished or not options.unfinished.exists():
        return fresh
    try:
        state = load(options.unfinished, options.device)
        if state.pop("settings") == settings_of(options):
            say(f"going on after {len(state['tried']) * options.epochs + len(state['curve'])} epochs")
            return state
        why = "was left by other settings"
    except DAMAGE as error:
        why = f"cannot be read ({type(error).__name__})"
    say(f"'{options.unfinished}' {why}: starting fresh")
    return fresh


def settings_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the options as texts."""
    return {name: str(value) for name, value in vars(options).items()}


def save(path: Path, content: object) -> None:
    """Save with PyTorch, whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    torch.save(content, temporary)
    temporary.replace(path)


def load(path: Path, device: str) -> dict[str, Any]:
    """Return what a file of PyTorch holds; PyTorch itself would not notice a flipped bit in it.

    Raises:
        Exception: One of ``DAMAGE``: it is not there, not whole, or no such file.
    """
    with zipfile.ZipFile(path) as parts:
        if spoilt := parts.testzip():
            raise ValueError(f"its part {spoilt} is damaged")
    return dict(torch.load(path, map_location=device, weights_only=True))


def first_line(error: Exception) -> str:
    """Return what an error says first; some of PyTorch's say much, some nothing."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def say(what: str) -> None:
    """Tell those who watch."""
    sys.stderr.write(f"bilstm: {what}\n")


# ------------------------------------------------------------------------------------ search


def search(options: argparse.Namespace) -> None:
    """Try some parameters on the training posts; write down the best by the loss of the validation posts."""
    texts = read_texts(options.texts)
    words = frequent_words(texts["train"], options.words)
    vectors = vectors_of(words, options)
    train, dev = (placed(numbered(texts[each], words, options.length), options) for each in ("train", "dev"))
    state = kept(options)

    def attempt(proposals: list[dict[str, float]]) -> list[dict[str, Any]]:
        learners = [Learner(vectors, proposal, options) for proposal in proposals]
        fit(learners, train, state, options)
        return [judged(learner, dev, options) for learner in learners]

    with phase(
        "search", kind="search", **described(BiLSTM(vectors, options.hidden, options.filters, 0.0), options)
    ):
        trials = tried(attempt, state, options)
    best = min(trials, key=lambda trial: trial["loss"])
    scores = {post["tweet_id"]: score for post, score in zip(texts["dev"], best.pop("scores"), strict=True)}
    told = [{name: trial[name] for name in ("parameters", "loss", "accuracy")} for trial in trials]
    options.out.write_text(json.dumps({**best["parameters"], "trials": told, "held_out": scores}, indent=1))


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

    Proposals are points of the grid, none twice, in an order that the seed decides: a search that goes on
    after a kill is told anew what was tried, and proposes what it would have. As published, one trial comes
    after the other; the tuned variant trains all of them in step.
    """
    import optuna

    class Grid(optuna.samplers.GridSampler):
        def after_trial(self, *_: object) -> None:
            """Do nothing where Optuna would end its own loop: there is none."""

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    choices = {name: getattr(options, name) for name in CHOICES}
    space: dict[str, Any] = {
        name: optuna.distributions.CategoricalDistribution(each) for name, each in choices.items()
    }
    study = optuna.create_study(sampler=Grid(choices, seed=options.seed))
    wanted, trials = min(options.trials, math.prod(map(len, choices.values()))), list[dict[str, Any]]()
    while len(trials) < wanted:
        together = wanted - len(trials) if options.variant == "tuned" else 1
        asked = [study.ask(space) for _ in range(together)]
        if len(state["tried"]) == len(trials):
            state["tried"] += attempt([trial.params for trial in asked])
            keep(state, options)
        for trial in asked:
            trials.append(state["tried"][len(trials)])
            study.tell(trial, trials[-1]["loss"])
            say(f"{trial.params}: loss {trials[-1]['loss']:.4f}, accuracy {trials[-1]['accuracy']:.3f}")
    return trials


# ------------------------------------------------------------------------------------ train and infer


def best_in(path: Path) -> dict[str, Any]:
    """Return the parameters that a search found best, and its scores of the validation posts."""
    try:
        best = json.loads(path.read_text(encoding="utf-8"))
        parameters = {name: float(best[name]) for name in CHOICES}
        return {**parameters, "held_out": dict(best["held_out"])}
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"'{path}' does not hold what a search has found ({error})") from error


def train(options: argparse.Namespace) -> None:
    """Train with the best parameters on training and validation posts; write weights and curves."""
    texts, best = read_texts(options.texts), best_in(options.parameters)
    words = frequent_words(texts["train"] + texts["dev"], options.words)
    data = placed(numbered(texts["train"] + texts["dev"], words, options.length), options)
    learner = Learner(vectors_of(words, options), best, options)
    flops = options.epochs * training_flops(learner.model, int(data[1].sum()))
    with phase("training", flops=flops, **described(learner.model, options)):
        curve = fit([learner], data, kept(options), options)
    shape = {"hidden": options.hidden, "filters": options.filters, "length": options.length, "words": words}
    weights = {name: weight.cpu() for name, weight in learner.model.state_dict().items()}
    save(options.model, {"weights": weights, "held_out": best["held_out"], **shape})
    draw_curve("loss", [epoch[0][0] for epoch in curve], options.loss)
    draw_curve("accuracy", [epoch[0][1] for epoch in curve], options.accuracy)


def infer(options: argparse.Namespace) -> None:
    """Score all posts; those of the validation have the scores that they got while they were unseen."""
    texts, (model, saved) = read_texts(options.texts), load_model(options.model)
    model.to(options.device)
    scores = saved["held_out"]
    with phase("inference", **described(model, options)):
        for posts in (texts["train"], texts["test"]):
            answers = ask(model, placed(numbered(posts, saved["words"], saved["length"]), options), options)
            given = answers.sigmoid().tolist()
            scores.update({post["tweet_id"]: score for post, score in zip(posts, given, strict=True)})
    write_scores(options.train, {split: texts[split] for split in ("train", "dev")}, scores)
    write_scores(options.test, {"test": texts["test"]}, scores)
    draw_matrix(texts["test"], scores, options.matrix)


def load_model(path: Path) -> tuple[BiLSTM, dict[str, Any]]:
    """Return a trained model, and what was saved with it."""
    try:
        saved = load(path, "cpu")
        model = BiLSTM(saved["weights"]["embedding.weight"], saved["hidden"], saved["filters"], 0.0)
        model.load_state_dict(saved["weights"])
        return model, {name: saved[name] for name in ("words", "length", "held_out")}
    except DAMAGE as error:
        raise ValueError(f"'{path}' does not hold a trained model ({first_line(error)})") from error


def write_scores(path: Path, texts: dict[str, Rows], scores: dict[str, float]) -> None:
    """Write how likely each post informs, and whether the model that says so had seen it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["tweet_id", "split", "label", "score", "seen"])
        for split, posts in texts.items():
            for post in posts:
                score = f"{scores[post['tweet_id']]:.5f}"
                table.writerow([post["tweet_id"], split, post["label"], score, int(split == "train")])


def draw_curve(what: str, values: list[float], path: Path) -> None:
    """Draw how something went over the epochs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.5), layout="constrained")
    axes = figure.add_subplot(xlabel="epoch", ylabel=what, title=f"BiLSTM: {what} while training")
    axes.plot(range(1, len(values) + 1), values, marker="o")
    axes.set_xticks(range(1, len(values) + 1))
    figure.savefig(path)


def draw_matrix(posts: Rows, scores: dict[str, float], path: Path) -> None:
    """Draw how many posts of each label were judged how."""
    from matplotlib.figure import Figure

    names, counts = ["informative", "not informative"], np.zeros((2, 2), int)
    for post in posts:
        counts[int(post["label"] != "informative"), int(scores[post["tweet_id"]] <= 0.5)] += 1
    figure = Figure(figsize=(4.5, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="judged", ylabel="labelled", title=f"BiLSTM: {len(posts):,} test posts")
    axes.imshow(counts, cmap="Blues", vmin=0)
    axes.set_xticks([0, 1], names)
    axes.set_yticks([0, 1], names, rotation=90, va="center")
    for (row, column), count in np.ndenumerate(counts):
        colour = "white" if count > counts.max() / 2 else "black"
        axes.text(column, row, f"{count:,}", ha="center", va="center", color=colour)
    figure.savefig(path)


# ------------------------------------------------------------------------------------ command line


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="The model of texts.")
    commands = parser.add_subparsers(dest="command", required=True)
    for command, files in FILES.items():
        each = commands.add_parser(command)
        each.add_argument(
            "--texts", type=Path, nargs=3, required=True, help="train.csv, dev.csv and test.csv"
        )
        for name in files:
            each.add_argument(f"--{name}", type=Path, required=True)
        each.add_argument(
            "--unfinished", type=Path, help="what is left for the next attempt if this is killed"
        )
        for name, number in DEFAULTS.items():
            each.add_argument(f"--{name}", type=int, default=number, help=str(number))
        for name, values in CHOICES.items():
            each.add_argument(f"--{name}", type=float, nargs="+", default=values, help="what to choose from")
        each.add_argument("--variant", choices=("published", "tuned"), default="published")
        each.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    return parser.parse_args(arguments)


def compute_repeatably() -> None:
    """Let a GPU compute the same from the same; a CPU does so anyway, and this would load much there."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS reads it when it is first used
    torch.use_deterministic_algorithms(True, warn_only=True)


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    options = options_of(arguments)
    if options.device == "auto":
        options.device = "cuda" if torch.cuda.is_available() else "cpu"
    if options.device == "cuda" and options.variant == "published":
        compute_repeatably()
    if options.threads:
        torch.set_num_threads(options.threads)
    {"search": search, "train": train, "infer": infer}[options.command](options)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"bilstm: {error}.")
