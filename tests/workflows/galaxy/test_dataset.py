"""Galaxy's data set: who has which label, how galaxies are split, what is said where some are missing."""

from __future__ import annotations

import doctest
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workflows.modules import Modules

dataset = Modules("galaxy").dataset
PAPER = (8436, 8069, 579, 3903, 7806)
SMOOTH = {"Class1.1": 0.469, "Class1.2": 0.430}
counts = st.lists(st.integers(0, 60), min_size=5, max_size=5).map(tuple)


def lay_out(folder: Path, rows: list[dict[str, float]]) -> list[str]:
    """Write a table with these votes, and a file for each picture; return the galaxies' ids."""
    ids = [str(100_000 + n) for n in range(len(rows))]
    lines = [",".join(("GalaxyID", *dataset.COLUMNS))]
    lines += [
        ",".join((galaxy, *(f"{row.get(column, 0.0):.6f}" for column in dataset.COLUMNS)))
        for galaxy, row in zip(ids, rows, strict=True)
    ]
    folder.joinpath(dataset.SOLUTIONS).write_text("\n".join(lines) + "\n")
    folder.joinpath(dataset.PICTURES).mkdir()
    for galaxy in ids:
        folder.joinpath(dataset.PICTURES, f"{galaxy}.jpg").touch()
    return ids


@pytest.mark.parametrize(
    ("votes", "label"),
    [
        ({**SMOOTH, "Class7.1": 0.5}, 0),
        ({**SMOOTH, "Class7.2": 0.5}, 1),
        ({**SMOOTH, "Class7.3": 0.5}, 2),
        ({**SMOOTH, "Class2.1": 0.602}, 3),
        ({**SMOOTH, "Class2.2": 0.715, "Class4.1": 0.619}, 4),
        ({**SMOOTH, "Class2.1": 0.602, "Class7.3": 0.5}, 2),
        ({**SMOOTH, "Class1.1": 0.468, "Class7.1": 0.9}, None),
        ({**SMOOTH, "Class7.1": 0.499}, None),
        ({**SMOOTH, "Class1.2": 0.429, "Class2.1": 0.9}, None),
        ({**SMOOTH, "Class2.2": 0.9, "Class4.1": 0.618}, None),
        ({**SMOOTH, "Class2.2": 0.714, "Class4.1": 0.9}, None),
    ],
)
def test_labels_follow_the_published_rule_and_the_first_that_fits(votes, label):
    assert dataset.label_of(votes) == label


@given(st.integers(0, 500), st.integers(0, 2**32 - 1))
def test_galaxies_are_shuffled_as_numpy_shuffles(count, seed):
    assert dataset.shuffled(count, seed) == np.random.RandomState(seed).permutation(count).tolist()


def test_the_split_of_the_paper_is_found_again():
    dealt = dataset.split(PAPER, 10)

    assert [len(members) for members in dealt["train"]] == [6775, 6448, 441, 3099, 6271]
    assert [sum(map(len, dealt[name])) for name in ("train", "val", "test")] == [23_034, 2_879, 2_880]


@given(counts, st.integers(0, 1000))
def test_every_galaxy_is_in_one_split(counts, seed):
    dealt = dataset.split(counts, seed)

    for label, count in enumerate(counts):
        assert sorted(n for one in dealt.values() for n in one[label]) == list(range(count))


@given(st.integers(1, 28_793))
def test_a_part_of_the_galaxies_has_the_same_shares(limit):
    dealt = dataset.split(PAPER, 10, limit)

    sizes = [sum(map(len, one)) for one in dealt.values()]
    assert sum(sizes) == pytest.approx(limit, abs=2)
    assert sizes[0] == pytest.approx(0.8 * limit, abs=2)


def test_a_folder_is_read(tmp_path):
    rows = [{**SMOOTH, "Class7.1": 0.9}, {}, {**SMOOTH, "Class2.1": 0.9}, {**SMOOTH, "Class7.1": 0.8}]
    ids = lay_out(tmp_path, rows)

    galaxies = dataset.read_galaxies(tmp_path, "small")

    assert galaxies.by_class == ((ids[0], ids[3]), (), (), (ids[2],), ())
    assert galaxies.path(ids[2]) == tmp_path / "images_training_rev1" / f"{ids[2]}.jpg"


@pytest.mark.parametrize("part", ["training_solutions_rev1.csv", "images_training_rev1"])
def test_a_part_that_is_missing_is_named_with_its_publisher(tmp_path, part):
    lay_out(tmp_path, [])
    tmp_path.joinpath(part).rename(tmp_path / "elsewhere")

    with pytest.raises(
        ValueError, match=f"{part} is not there. Get .* from the Galaxy Zoo challenge on Kaggle"
    ):
        dataset.read_galaxies(tmp_path, "small")


def test_pictures_that_are_missing_are_counted(tmp_path):
    ids = lay_out(tmp_path, [{**SMOOTH, "Class7.1": 0.9}] * 3 + [{}])
    for galaxy in (ids[0], ids[2], ids[3]):
        tmp_path.joinpath(dataset.PICTURES, f"{galaxy}.jpg").unlink()

    with pytest.raises(
        ValueError, match=rf"lacks {ids[0]}.jpg and 1 more\. Get .*generate.py --scale small'"
    ):
        dataset.read_galaxies(tmp_path, "small")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("Class7.1", "Class7.9", "has no column 'Class7.1'"),
        ("0.900000", "many", ":2 is no row of votes"),
        ("0.000000\n", "0.000000,0.1\n", ":2 is no row of votes"),
    ],
)
def test_a_table_of_another_kind_is_refused(tmp_path, old, new, complaint):
    lay_out(tmp_path, [{**SMOOTH, "Class11.6": 0.0, "Class7.1": 0.9}])
    table = tmp_path / dataset.SOLUTIONS
    table.write_text(table.read_text().replace(old, new, 1))

    with pytest.raises(ValueError, match=complaint):
        dataset.read_galaxies(tmp_path, "small")


def test_a_table_without_a_label_is_refused_with_advice(tmp_path):
    lay_out(tmp_path, [{}] * 3)

    with pytest.raises(ValueError, match=r"has no galaxy that the rule of labels takes\. Get .* Kaggle"):
        dataset.read_galaxies(tmp_path, "small")


@pytest.mark.parametrize("votes", [{**SMOOTH, "Class7.1": 0.9}, {}])
def test_a_galaxy_that_is_listed_twice_is_refused_with_its_line(tmp_path, votes):
    ids = lay_out(tmp_path, [{**SMOOTH, "Class7.1": 0.9}, votes, votes])
    table = tmp_path / dataset.SOLUTIONS
    table.write_text(table.read_text().replace(ids[2], ids[1]))

    with pytest.raises(ValueError, match=rf"csv:4 has galaxy {ids[1]} again\. Get the table anew"):
        dataset.read_galaxies(tmp_path, "small")


def test_synthetic_data_is_never_advised_into_the_folder_of_a_user(tmp_path):
    with pytest.raises(
        ValueError, match=r"synthetic data with '.*': it is found if no data= is given"
    ) as said:
        dataset.read_galaxies(tmp_path, "paper")

    assert str(tmp_path) not in str(said.value).split("is not there. ")[1]
    assert "--out" not in str(said.value)
    assert "--scale paper'" in str(said.value)


def test_there_are_as_many_answers_as_the_published_table_has():
    assert len(dataset.COLUMNS) == 37
    assert Counter(column.split(".")[0] for column in dataset.COLUMNS)["Class8"] == 7


def test_its_examples_hold():
    assert doctest.testmod(dataset).failed == 0
