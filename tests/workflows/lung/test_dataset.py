"""The reader of the published layout: which X-rays have masks, and which split has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workflows.lung.micro import own

dataset, scales = own.dataset, own.scales


def lay_out(folder: Path, images: list[str], masks: list[str]) -> Path:
    for name, stems in (("CXR_png", images), ("masks", masks)):
        (folder / name).mkdir(parents=True)
        for stem in stems:
            (folder / name / f"{stem}.png").touch()
    return folder


def test_the_set_of_the_paper_is_split_as_in_the_paper(tmp_path):
    named = dataset.synthetic_names(scales.SCALES["paper"])
    folder = lay_out(tmp_path, [stem for stem, _ in named], [mask for _, mask in named if mask])
    scans = dataset.read_scans(folder, "paper")
    parts = dataset.split(scans, 10, len(scans))

    assert (len(named), len(scans)) == (800, 704)
    assert {name: len(part) for name, part in parts.items()} == {"train": 492, "val": 141, "test": 71}


def test_names_alone_give_the_same_as_the_files(tmp_path):
    scale = scales.SCALES["small"]
    named = dataset.synthetic_names(scale)
    lay_out(tmp_path, [stem for stem, _ in named], [mask for _, mask in named if mask])

    assert dataset.read_scans(tmp_path, "small") == sorted(
        dataset.named_scans(tmp_path, scale), key=lambda scan: scan.stem
    )


def test_masks_of_both_names_are_found_and_x_rays_without_one_are_dropped(tmp_path):
    masks = ["CHN_1_mask", "CHN_2_mask", "MCU_1", "MCU_2", "CHN_9_mask"]
    folder = lay_out(tmp_path, ["CHN_1", "CHN_2", "CHN_3", "MCU_1", "MCU_2"], masks)

    found = {scan.stem: scan.mask.name for scan in dataset.read_scans(folder, "tiny")}

    assert found == {
        "CHN_1": "CHN_1_mask.png",
        "CHN_2": "CHN_2_mask.png",
        "MCU_1": "MCU_1.png",
        "MCU_2": "MCU_2.png",
    }


@pytest.mark.parametrize("within", [".", "Lung Segmentation", "data/Lung Segmentation"])
def test_the_folder_may_be_that_of_the_archive(tmp_path, within):
    stems = [f"MCU_{n}" for n in range(4)]
    lay_out(tmp_path / within, stems, stems)

    assert len(dataset.read_scans(tmp_path, "tiny")) == 4


@pytest.mark.parametrize(
    ("images", "masks", "said"),
    [
        (["A", "B", "C"], ["A", "B", "C"], "has 3 X-rays in CXR_png, 3 of them with a mask in masks"),
        (["A", "B", "C", "D"], ["A", "B", "C"], "has 4 X-rays in CXR_png, 3 of them with a mask in masks"),
        ([], [], "has 0 X-rays in CXR_png"),
    ],
)
def test_too_few_are_refused_in_a_sentence(tmp_path, images, masks, said):
    with pytest.raises(ValueError, match=said) as refused:
        dataset.read_scans(lay_out(tmp_path, images, masks), "tiny")

    assert "Kaggle" in str(refused.value)
    assert "generate.py --scale tiny" in str(refused.value)


@pytest.mark.parametrize("missing", ["CXR_png", "masks"])
def test_a_folder_that_is_not_there_is_named(tmp_path, missing):
    lay_out(tmp_path, ["A"], ["A"])
    (tmp_path / missing).rename(tmp_path / "elsewhere")

    with pytest.raises(ValueError, match=f"has no folder {missing}"):
        dataset.read_scans(tmp_path, "tiny")


@given(number=st.integers(4, 900), limit=st.integers(0, 900), seed=st.integers(0, 2**32))
def test_every_x_ray_is_in_one_split_and_no_split_is_empty(number, limit, seed):
    scans = [dataset.Scan(f"{n:04d}", Path(), Path()) for n in range(number)]

    parts = dataset.split(scans, seed, limit)

    dealt = [scan.stem for part in parts.values() for scan in part]
    assert len(dealt) == len(set(dealt)) == min(number, max(limit, 4))
    assert all(parts.values())


def test_another_seed_gives_another_split():
    scans = [dataset.Scan(f"{n:04d}", Path(), Path()) for n in range(50)]

    assert dataset.split(scans, 1, 50) == dataset.split(scans, 1, 50)
    assert dataset.split(scans, 1, 50) != dataset.split(scans, 2, 50)
