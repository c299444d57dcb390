"""Few small files, linked and renamed at once: all of them, or none."""

from __future__ import annotations

from pathlib import Path

from longpole.model.staging import Item
from longpole.run.engines.local.at_once import link_all, rename_all
from longpole.run.staging.checksums import Checksums, digest_for, of_file
from tests.run.driven import Driven

DIGEST = digest_for(Checksums.ON)


def test_files_are_moved_with_their_sizes_and_checksums(tmp_path: Path):
    job, kept = tmp_path / "job", tmp_path / "kept"
    job.mkdir()
    (job / "a b").write_text("text")
    expected = of_file(str(job / "a b"), Checksums.ON)

    made = rename_all(["a b"], str(job), f"{kept}/deep", DIGEST)

    assert made == (("a b", 4, expected),)
    assert (kept / "deep/a b").read_text() == "text"
    assert not list(job.iterdir())


def test_where_one_cannot_be_moved_none_is(tmp_path: Path):
    job, kept = tmp_path / "job", tmp_path / "kept"
    (job / "in").mkdir(parents=True)
    kept.mkdir()
    (kept / "in").write_text("a file where a directory would have to be")
    (job / "a").write_text("1")
    (job / "in/b").write_text("2")

    assert rename_all(["a", "in/b"], str(job), str(kept), DIGEST) is None
    assert (job / "a").read_text() == "1"
    assert not (kept / "a").exists()


def test_links_and_directories_are_left_to_others(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")

    for name in ("folder", "link", "absent"):
        assert rename_all([name], str(tmp_path), str(tmp_path / "kept"), DIGEST) is None
    assert not link_all([Item("x", str(tmp_path / "absent"))], str(tmp_path))


def test_an_output_that_cannot_be_put_in_its_place_is_told_by_its_name(tmp_path: Path):
    driven = Driven(tmp_path).write(
        workflow__yaml="""
longpole: 1
name: blocked
tasks:
  makes: {run: "touch a in/b", outputs: [a, in/b]}
"""
    )
    driven.kept.mkdir(parents=True)
    (driven.kept / "in").write_text("a file where a directory would have to be")
    driven.drive(1)

    assert "in/b" in driven.causes("makes")[0]
