"""Synthetic chests: the same for the same seed, in the published layout, no matter of brightness alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.workflows.lung.micro import LUNG, own
from tests.workflows.lung.thresholds import best_threshold_dice

Done = subprocess.CompletedProcess[str]


def generate(out: Path, *arguments: str) -> Done:
    command = [sys.executable, str(LUNG / "generate.py"), "--out", str(out), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.png"))}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lung") / "data"
    assert generate(out, "--processes", "2").returncode == 0
    return out


def test_data_has_the_published_layout(made):
    dataset, scale = own.dataset, own.scales.SCALES["tiny"]
    scans = dataset.read_scans(made, "tiny")

    assert len(scans) == scale.pairs
    assert len(list((made / "CXR_png").glob("*.png"))) == scale.pairs + scale.unmasked
    assert {scan.mask.stem.endswith("_mask") for scan in scans} == {True, False}
    for scan in scans[:3]:
        with Image.open(scan.image) as image, Image.open(scan.mask) as mask:
            assert image.size == mask.size == scale.pixels
            assert image.mode == mask.mode == "L"
            assert set(np.unique(np.asarray(mask))) == {0, 255}


def test_one_process_makes_the_same_as_two(made, tmp_path):
    generate(tmp_path / "one", "--processes", "1")

    assert contents(tmp_path / "one") == contents(made)


def test_what_is_missing_or_cut_off_is_made_again_and_the_rest_is_kept(made):
    before = contents(made)
    first, second, third = sorted((made / "CXR_png").iterdir())[:3]
    first.unlink()
    second.write_bytes(second.read_bytes()[:-20])
    kept = third.stat().st_mtime_ns

    done = generate(made)

    assert done.returncode == 0
    assert contents(made) == before
    assert third.stat().st_mtime_ns == kept
    assert "89 of 89 X-rays" in done.stderr


def test_data_of_another_seed_is_not_mixed_in(made):
    done = generate(made, "--seed", "1")

    assert done.returncode == 1
    assert "holds other synthetic data" in done.stderr
    assert "Traceback" not in done.stderr


def test_real_x_rays_are_left_alone(tmp_path):
    (tmp_path / "CXR_png").mkdir()
    (tmp_path / "CXR_png" / "CHNCXR_0001_0.png").touch()

    done = generate(tmp_path)

    assert done.returncode == 1
    assert "holds X-rays that are not synthetic" in done.stderr


def test_an_output_that_cannot_be_written_is_told_in_a_sentence(tmp_path):
    (tmp_path / "file").touch()

    done = generate(tmp_path / "file" / "data")

    assert done.returncode == 1
    assert done.stderr.startswith("Cannot write into ")
    assert "Traceback" not in done.stderr


def test_a_picture_of_the_paper_s_size_is_as_large_as_theirs(tmp_path):
    image, mask = own.synthetic.chest((0, 1), (3000, 2933))
    Image.fromarray(image).save(tmp_path / "image.png", compress_level=1)
    Image.fromarray(mask).save(tmp_path / "mask.png", compress_level=1)

    assert (tmp_path / "image.png").stat().st_size == pytest.approx(6.3e6, rel=0.15)
    assert (tmp_path / "mask.png").stat().st_size < 200_000


def test_no_brightness_tells_lungs_from_the_rest():
    drawn = [own.synthetic.chest((5, n), (128, 125)) for n in range(60)]
    images, masks = np.stack([image for image, _ in drawn]), np.stack([mask > 0 for _, mask in drawn])

    assert best_threshold_dice(images, masks) < 0.7


def test_lungs_differ_in_place_and_size():
    masks = [own.synthetic.chest((5, n), (128, 125))[1] > 0 for n in range(60)]
    shares = [mask.mean() for mask in masks]
    middles = [np.argwhere(mask).mean(0) for mask in masks]

    assert 0.05 < min(shares) < 0.7 * max(shares) < 0.35
    assert np.std(middles, axis=0).min() > 4
