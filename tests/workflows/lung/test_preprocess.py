"""Preparing X-rays: what is made of each, that masks go with their pictures, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.workflows.lung.micro import SIZE, Micro, own, programs

preprocess = programs.preprocess


@pytest.fixture
def bench(tmp_path: Path) -> Micro:
    """Give a folder with three X-rays and masks: the X-ray is bright where its mask is."""
    for name in ("images", "masks"):
        (tmp_path / name).mkdir()
    for number in range(3):
        mask = np.zeros((94, 96), np.uint8)
        mask[10 + 9 * number : 70, 8 : 30 + 5 * number] = 255
        Image.fromarray(mask).save(tmp_path / f"masks/X{number}_mask.png")
        Image.fromarray((mask // 3 + 40).astype(np.uint8)).save(tmp_path / f"images/X{number}.png")
    return Micro(tmp_path)


def prepare(bench: Micro, split: str, out: str = "prepared", **other: str) -> set[str]:
    images = bench.listed("images.list", [f"images/X{n}.png" for n in range(3)])
    masks = bench.listed("masks.list", [f"masks/X{n}_mask.png" for n in range(3)] if split == "train" else [])
    told = {"split": split, "images": images, "masks": masks, "size": str(SIZE), "out": out, **other}
    done = bench.call("preprocess", *(text for name, value in told.items() for text in (f"--{name}", value)))
    assert done.returncode == 0, done.stderr
    return {path.name for path in (bench.folder / out).iterdir()}


def read(bench, name):
    with Image.open(bench.folder / "prepared" / name) as picture:
        assert picture.size == (SIZE, SIZE)
        return np.asarray(picture)


def test_five_pictures_are_made_of_a_training_pair(bench):
    made = ("norm", "flip", "rot", "mask_flip", "mask_rot")

    assert prepare(bench, "train") == {f"X{n}_{each}.png" for n in range(3) for each in made}


@pytest.mark.parametrize("split", ["val", "test"])
def test_one_picture_is_made_of_any_other_x_ray(bench, split):
    assert prepare(bench, split) == {f"X{n}_norm.png" for n in range(3)}


@pytest.mark.parametrize("made", ["flip", "rot"])
def test_a_mask_goes_with_its_picture(bench, made):
    prepare(bench, "train")
    for number in range(3):
        bright = read(bench, f"X{number}_{made}.png") >= 128
        mask = read(bench, f"X{number}_mask_{made}.png")

        assert set(np.unique(mask)) == {0, 255}
        fits = np.mean(bright == (mask > 0))
        assert fits > 0.96
        assert fits > np.mean((read(bench, f"X{number}_norm.png") >= 128) == (mask > 0)) + 0.01


def test_the_exposure_of_a_film_makes_no_difference():
    film = own.synthetic.chest((1, 1), (64, 64))[0]
    darker = Image.fromarray((film * 0.5 + 20).astype(np.uint8))

    one, other = (np.asarray(preprocess.even(each), float) for each in (Image.fromarray(film), darker))

    assert np.abs(one - other).mean() < 2
    assert one.min() == 0
    assert one.max() == 255


def test_an_even_picture_stays_one():
    grey = Image.fromarray(np.full((8, 8), 77, np.uint8))

    assert len(np.unique(np.asarray(preprocess.even(grey)))) == 1


def test_many_processes_make_the_same_as_one(bench):
    prepare(bench, "train")
    prepare(bench, "train", out="tuned", variant="tuned")

    for path in (bench.folder / "prepared").iterdir():
        assert (bench.folder / "tuned" / path.name).read_bytes() == path.read_bytes()


def test_a_missing_mask_is_told_in_a_sentence(bench):
    (bench.folder / "one.list").write_text("images/X1.png\n")
    (bench.folder / "none.list").write_text("")

    done = bench.call(
        "preprocess", "--split", "train", "--images", "one.list", "--masks", "none.list", "--size", "32",
        "--out", "prepared",
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (1, "preprocess: images/X1.png has no mask among those given\n")


@pytest.mark.parametrize("content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n cut off"])
@pytest.mark.parametrize("variant", ["published", "tuned"])
def test_a_picture_that_cannot_be_read_is_told_in_a_sentence(bench, content, variant):
    (bench.folder / "images/X1.png").write_bytes(content)
    (bench.folder / "one.list").write_text("images/X1.png\n")
    (bench.folder / "none.list").write_text("")

    done = bench.call(
        "preprocess", "--split", "val", "--images", "one.list", "--masks", "none.list", "--size", "32",
        "--out", "prepared", "--variant", variant,
    )  # fmt: skip

    assert done.returncode == 1
    assert done.stderr.startswith("preprocess: images/X1.png is not a picture that can be read")
    assert len(done.stderr.splitlines()) == 1
