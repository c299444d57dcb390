"""Galaxy's preparation of pictures: what is cropped, what is made anew, and what is said if that fails."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.parts import need
from tests.workflows.modules import WORKFLOWS, Modules

need("pillow")
from PIL import Image  # noqa: E402

programs = Modules("galaxy/bin")
GREY = 90


def picture(path: Path, side: int = 106, spot: int = 0) -> Path:
    """Write a grey picture with a bright square of so many pixels in its centre."""
    pixels = np.full((side, side, 3), GREY, np.uint8)
    first = (side - spot) // 2
    pixels[first : first + spot, first : first + spot] = 250
    Image.fromarray(pixels).save(path, quality=95)
    return path


def pixels_of(path: Path) -> np.ndarray:
    with Image.open(path) as opened:
        return np.asarray(opened)


def called(program: str, folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(WORKFLOWS / "galaxy" / "bin" / program), *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_middle_is_left(tmp_path):
    picture(tmp_path / "train_class_2_7.jpg", spot=60)
    tmp_path.joinpath("list").write_text("train_class_2_7.jpg\n")

    done = called("preprocess.py", tmp_path, "--images", "list", "--size", 64, "--out", "processed")

    pixels = pixels_of(tmp_path / "processed" / "train_class_2_7_proc.jpg")
    assert (done.returncode, done.stderr) == (0, "")
    assert pixels.shape == (64, 64, 3)
    assert pixels[10:54, 10:54].min() > 240
    assert pixels[0, 0].max() < 120


def test_a_picture_stays_as_it_was(tmp_path):
    source = picture(tmp_path / "a.jpg")
    before = source.read_bytes()

    programs.preprocess.crop(source, 64, tmp_path / "b.jpg")

    assert source.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jpg", "b.jpg"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(None, "No such file"), (b"no picture", "cannot identify image file"), (b"", "cannot identify")],
)
def test_what_is_no_picture_ends_a_program_with_a_sentence(tmp_path, content, complaint):
    if content is not None:
        tmp_path.joinpath("a.jpg").write_bytes(content)
    tmp_path.joinpath("list").write_text("a.jpg\n")

    done = called("preprocess.py", tmp_path, "--images", "list", "--size", 64, "--out", "processed")

    assert done.returncode == 1
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_picture_that_is_too_small_is_refused(tmp_path):
    with pytest.raises(ValueError, match="has 50x50 pixels, too few for --size 64"):
        programs.preprocess.crop(picture(tmp_path / "a.jpg", side=50), 64, tmp_path / "b.jpg")


def test_as_many_pictures_are_made_as_are_wanted(tmp_path):
    old = [str(picture(tmp_path / f"train_class_2_{n}_proc.jpg", 64, spot=8 + n)) for n in range(3)]
    new = [str(tmp_path / "augmented" / f"train_class_2_{n}_proc.jpg") for n in range(3, 10)]
    for name, names in (("old", old), ("new", new)):
        tmp_path.joinpath(name).write_text("".join(f"{each}\n" for each in names))

    done = called("augment.py", tmp_path, "--images", "old", "--new", "new", "--seed", 1)

    assert (done.returncode, done.stderr) == (0, "")
    assert {pixels_of(Path(name)).shape for name in new} == {(64, 64, 3)}
    assert len({Path(name).read_bytes() for name in new}) == len(new)


def test_each_old_picture_is_used_as_often_as_the_others(tmp_path, monkeypatch):
    old = [str(picture(tmp_path / f"{n}.jpg", 64)) for n in range(3)]
    used: list[int] = []
    monkeypatch.setattr(programs.augment, "widened", lambda one: one)
    monkeypatch.setattr(programs.augment, "turned", lambda wide, side, chance: used.append(id(wide)))
    monkeypatch.setattr(programs.augment, "write", lambda made, target: None)

    programs.augment.augment(old, [str(tmp_path / f"new-{n}.jpg") for n in range(7)], seed=1)

    assert [len(list(same)) for _, same in itertools.groupby(used)] == [3, 2, 2]


def test_corners_are_not_black(tmp_path):
    old = [str(picture(tmp_path / "old.jpg", 64, spot=10))]
    new = [str(tmp_path / f"{n}.jpg") for n in range(20)]

    programs.augment.augment(old, new, seed=3)

    assert min(pixels_of(Path(name)).min() for name in new) > GREY / 2


def test_a_spot_in_the_centre_stays_there(tmp_path):
    old = [str(picture(tmp_path / "old.jpg", 64, spot=10))]
    new = [str(tmp_path / f"{n}.jpg") for n in range(20)]

    programs.augment.augment(old, new, seed=3)

    assert min(pixels_of(Path(name))[30:34, 30:34].min() for name in new) > 200


def test_chance_follows_the_seed_and_the_name_alone(tmp_path):
    old = [str(picture(tmp_path / "old.jpg", 64, spot=20))]

    def made(folder: str, names: list[str], seed: int) -> dict[str, bytes]:
        programs.augment.augment(old, [str(tmp_path / folder / name) for name in names], seed)
        return {name: tmp_path.joinpath(folder, name).read_bytes() for name in names}

    one = made("one", ["a.jpg", "b.jpg"], 1)
    assert made("two", ["b.jpg", "a.jpg"], 1) == one
    assert made("three", ["a.jpg", "b.jpg"], 2) != one


def test_without_pictures_nothing_can_be_made():
    with pytest.raises(ValueError, match="there is no picture to make new ones of"):
        programs.augment.augment([], ["a.jpg"], seed=1)
