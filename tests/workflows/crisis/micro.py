"""A micro set of posts, ready to be learned from, and the programs that learn from it."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.workflows.modules import WORKFLOWS, Modules

COUNTS = (48, 24, 16)
TRIALS, EPOCHS = 2, 3
DAMAGES = ("flipped", "cut", "lacking", "other")
own, programs = Modules("crisis"), Modules("crisis/bin")
MAKE = f"""
import sys
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from generate import SCALES, generate
more = {{"counts": {COUNTS}, "images": (56, 28, 20), "posts": (50, 24, 18), "side": 48, "other_words": 9000}}
SCALES["micro"] = replace(SCALES["tiny"], **more)
generate(Path(sys.argv[2]), "micro", int(sys.argv[3]), int(sys.argv[4]))
"""
# What any program that learns is told.
LEARNING = (
    f"--trials={TRIALS}",
    f"--epochs={EPOCHS}",
    "--batch=16",
    "--device=cpu",
    "--threads=1",
    "--seed=1",
)
TEXT = (
    "--hidden=8",
    "--filters=4",
    "--length=20",
    "--words=60",
    "--rate",
    "1e-2",
    "3e-3",
    "--dropout",
    "0.1",
    "0.2",
)
IMAGE = ("--side=28", "--width=0.0625", "--blocks", "1", "1", "1", "1", "--rate", "1e-2", "3e-3")


def generate(folder: Path, seed: int = 1, processes: int = 1) -> Path:
    """Make the micro set in the published layout, by a process of its own: it starts others."""
    said = [str(each) for each in (WORKFLOWS / "crisis", folder, seed, processes)]
    command = [sys.executable, "-c", MAKE, *said]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip().splitlines()[-1])
    return folder


def prepare(data: Path, folder: Path) -> None:
    """Leave what the first jobs leave: cleaned texts, resized pictures, and a list of these."""
    posts = own.dataset.read_posts(data, "tiny")
    for split, path in posts.texts.items():
        cleaned = list(programs.preprocess_tweets.cleaned(path))
        programs.preprocess_tweets.write(folder / "clean" / f"{split}.csv", cleaned)
    (folder / "resized").mkdir()
    (folder / "images").mkdir()
    for picture in posts.pictures:
        source = folder / "images" / f"{picture.name}.jpg"
        source.symlink_to(picture.path)
        programs.preprocess_images.resize(source, 32, folder / "resized")
    paths = [folder / "resized" / f"{picture.name}.jpg" for picture in posts.pictures]
    (folder / "images.list").write_text("".join(f"{path}\n" for path in paths))


def texts_in(folder: Path) -> list[str]:
    """Return the option that names the texts."""
    return ["--texts", *(str(folder / "clean" / f"{split}.csv") for split in ("train", "dev", "test"))]


class Killed(BaseException):
    """Stands for a kill: nothing in a program catches it."""


@contextmanager
def killed_at(program: ModuleType, epoch: int) -> Iterator[None]:
    """Let what is done here be killed in this epoch from now, all trials counted."""
    original, count = program.learn, iter(range(1000))

    def learn(*arguments: object) -> object:
        if next(count) == epoch:
            raise Killed
        return original(*arguments)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(program, "learn", learn)
        with pytest.raises(Killed):
            yield


def damage(path: Path, kind: str) -> None:
    """Damage a file of PyTorch, in one of the ways of ``DAMAGES``."""
    import torch

    if kind == "flipped":
        path.write_bytes(_flipped(path))
    elif kind == "cut":
        path.write_bytes(path.read_bytes()[:-1000])
    elif kind == "lacking":
        saved = torch.load(path, weights_only=True)
        torch.save({**saved, "weights": dict(list(saved["weights"].items())[1:])}, path)
    else:
        torch.save([1, 2], path)


def _flipped(path: Path) -> bytes:
    """Return a file with another bit in its largest part, where nothing but a checksum tells."""
    with zipfile.ZipFile(path) as parts:
        largest = parts.read(max(parts.infolist(), key=lambda part: part.file_size))
    content = bytearray(path.read_bytes())
    content[content.index(largest) + len(largest) // 2] ^= 1
    return bytes(content)


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether weights are equal to the bit."""
    import torch

    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
