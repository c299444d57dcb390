"""Crisis' first jobs: texts without what tells nothing, pictures of one size, sentences when they fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.parts import need
from tests.workflows.crisis.micro import programs
from tests.workflows.modules import WORKFLOWS

need("pillow")


def call(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    path = WORKFLOWS / "crisis" / "bin" / program
    command = [sys.executable, str(path), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("RT @ada: The BRIDGE has collapsed!! https://t.co/x #quake", "bridge collapsed quake"),
        ("Don't go; it's www.example.org/x?y &amp; 12 roads\u2026", "go roads"),
        ("", ""),
        ("I am @here", ""),
        ("na\u00efve_town caf\u00e9", "na town caf"),
    ],
)
def test_only_words_that_mean_something_are_left(text, words):
    assert programs.preprocess_tweets.clean(text) == words


def test_rows_keep_their_numbers_and_labels(tmp_path):
    given, made = tmp_path / "given.csv", tmp_path / "new" / "made.csv"
    given.write_text('tweet_id,text,label\n7,"Flood, again: the road",informative\n8,,not_informative\n')

    assert call("preprocess_tweets.py", "--text", given, "--out", made).returncode == 0
    assert made.read_text() == "tweet_id,text,label\n7,flood road,informative\n8,,not_informative\n"


def test_texts_of_another_shape_are_refused_in_a_sentence(tmp_path):
    given = tmp_path / "given.csv"
    given.write_text("id,text\n1,x\n")

    done = call("preprocess_tweets.py", "--text", given, "--out", tmp_path / "made.csv")

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "should have the columns tweet_id, text, label" in done.stderr
    assert list(tmp_path.iterdir()) == [given]


def picture(path: Path, mode: str = "RGB") -> Path:
    from PIL import Image

    points = np.zeros((90, 60, 3), np.uint8)
    points[:45] = 255
    Image.fromarray(points).convert(mode).save(path, "PNG" if mode != "RGB" else "JPEG", quality=100)
    return path


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA"])
def test_pictures_of_any_kind_become_squares_of_means(tmp_path, mode):
    from PIL import Image

    path = picture(tmp_path / "train_1_0_informative.jpg", mode)
    (tmp_path / "list").write_text(f"{path}\n")

    done = call(
        "preprocess_images.py", "--images", tmp_path / "list", "--size", 30, "--out", tmp_path / "out"
    )

    assert done.returncode == 0, done.stderr
    assert [each.name for each in (tmp_path / "out").iterdir()] == [path.name]
    with Image.open(tmp_path / "out" / path.name) as made:
        assert (made.format, made.mode, made.size) == ("JPEG", "RGB", (30, 30))
        points = np.asarray(made, float)
    assert points[:14].mean() > 250
    assert points[16:].mean() < 5


def test_a_damaged_picture_is_named_and_nothing_is_swallowed(tmp_path):
    whole, damaged = picture(tmp_path / "a.jpg"), tmp_path / "b.jpg"
    damaged.write_bytes(whole.read_bytes()[:200])
    (tmp_path / "list").write_text(f"{whole}\n{damaged}\n")

    done = call(
        "preprocess_images.py", "--images", tmp_path / "list", "--threads", 2, "--out", tmp_path / "out"
    )

    assert done.returncode == 1
    assert "b.jpg' cannot be read as a picture" in done.stderr
    assert "Traceback" not in done.stderr
