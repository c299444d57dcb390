"""Galaxy's synthetic data: the published layout, one seed gives one set however it is made, and goes on."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parts import need
from tests.workflows.modules import WORKFLOWS, Modules

need("pillow")
galaxy = Modules("galaxy")
MICRO = replace(galaxy.scales.SCALES["tiny"], counts=(4, 3, 2, 2, 4), unlabelled=3)
labels = st.one_of(st.none(), st.integers(0, 4))
seeds = st.integers(0, 2**32 - 1)


def made(folder: Path, seed: int = 1, processes: int = 1) -> dict[str, str]:
    """Generate; return a checksum of each file."""
    generate = galaxy.generate
    with galaxy.found():
        generate.generate(MICRO, folder, seed, processes)
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_layout_is_the_published_one(tmp_path):
    names = made(tmp_path).keys()

    pictures = [name for name in names if name.startswith("images_training_rev1/")]
    header = tmp_path.joinpath("training_solutions_rev1.csv").read_text().splitlines()[0]
    assert set(names) - set(pictures) == {"training_solutions_rev1.csv"}
    assert len(pictures) == 18
    assert header.split(",")[:4] == ["GalaxyID", "Class1.1", "Class1.2", "Class1.3"]
    assert len(header.split(",")) == 38


def test_labels_come_out_as_they_were_meant(tmp_path):
    made(tmp_path)

    assert tuple(map(len, galaxy.dataset.read_galaxies(tmp_path, "tiny").by_class)) == MICRO.counts


def test_pictures_have_the_size_of_the_scale(tmp_path):
    from PIL import Image

    made(tmp_path)

    for path in tmp_path.joinpath("images_training_rev1").iterdir():
        with Image.open(path) as picture:
            assert (picture.format, picture.mode, picture.size) == ("JPEG", "RGB", (106, 106))


def test_the_number_of_processes_changes_nothing(tmp_path):
    assert made(tmp_path / "one") == made(tmp_path / "two", processes=2)


def test_another_seed_gives_other_galaxies(tmp_path):
    one, two = made(tmp_path / "one"), made(tmp_path / "two", seed=2)

    assert not set(one.values()) & set(two.values())


def test_what_was_broken_off_is_made_again_and_the_rest_is_kept(tmp_path):
    before = made(tmp_path)
    pictures = sorted(tmp_path.joinpath("images_training_rev1").iterdir())
    pictures[0].unlink()
    pictures[1].write_bytes(pictures[1].read_bytes()[:100])
    kept = pictures[2].stat().st_mtime_ns

    assert made(tmp_path) == before
    assert pictures[2].stat().st_mtime_ns == kept


def test_another_data_set_is_not_written_over(tmp_path):
    made(tmp_path)

    with pytest.raises(ValueError, match="is of another data set"):
        made(tmp_path, seed=2)


def test_real_pictures_are_left_alone(tmp_path):
    real = tmp_path / "images_training_rev1" / "100008.jpg"
    real.parent.mkdir()
    real.write_bytes(b"real")

    with pytest.raises(ValueError, match=r"holds pictures that are not synthetic\. Choose another --out"):
        made(tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [real]


def test_a_real_table_is_left_alone_before_anything_is_made(tmp_path):
    table = tmp_path / "training_solutions_rev1.csv"
    table.write_bytes(b"GalaxyID\xff")

    with pytest.raises(ValueError, match="is of another data set"):
        made(tmp_path)
    assert list(tmp_path.iterdir()) == [table]


def test_the_program_complains_in_a_sentence(tmp_path):
    tmp_path.joinpath("training_solutions_rev1.csv").write_text("GalaxyID\n")
    program = WORKFLOWS / "galaxy" / "generate.py"

    done = subprocess.run(
        [sys.executable, program, "--out", tmp_path], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr.startswith("generate: ")
    assert done.stderr.endswith("is of another data set. Choose another --out.\n")


@given(labels, seeds)
def test_votes_give_the_label_they_were_drawn_for(label, seed):
    votes = galaxy.synthetic.votes(np.random.default_rng(seed), label)
    rounded = dict(zip(galaxy.dataset.COLUMNS, (round(each, 6) for each in votes), strict=True))

    assert galaxy.dataset.label_of(rounded) == label


@given(labels, seeds)
def test_votes_form_the_tree_of_questions(label, seed):
    votes = galaxy.synthetic.votes(np.random.default_rng(seed), label)
    share: dict[str, float] = dict(zip(galaxy.dataset.COLUMNS, votes, strict=True))

    def asked(question: int) -> float:
        return sum(value for column, value in share.items() if column.startswith(f"Class{question}."))

    assert all(0 <= value <= 1 for value in votes)
    assert [asked(1), asked(6)] == pytest.approx([1, 1])
    assert asked(2) == pytest.approx(share["Class1.2"])
    assert [asked(n) for n in (3, 4, 5)] == pytest.approx([share["Class2.2"]] * 3)
    assert asked(7) == pytest.approx(share["Class1.1"])
    assert asked(8) == pytest.approx(share["Class6.1"])
    assert asked(9) == pytest.approx(share["Class2.1"])
    assert [asked(n) for n in (10, 11)] == pytest.approx([share["Class4.1"]] * 2)


@given(st.integers(0, 4), seeds, st.sampled_from([32, 106, 210]))
def test_a_picture_shows_something_and_is_not_cut_off(label, seed, side):
    pixels = galaxy.synthetic.picture(np.random.default_rng(seed), label, side)

    assert (pixels.shape, pixels.dtype) == ((side, side, 3), np.uint8)
    assert pixels.max() > pixels.mean() + 20
    assert (pixels == 255).mean() < 0.2
