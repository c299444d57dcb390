"""The ledger: the last line of a task counts, damage is passed over, and it does not grow for ever."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.run.ledger import LEDGER, Ledger
from longpole.run.messages import Made
from longpole.run.staging.checksums import Checksums, of_file, of_tree


def opened(folder: Path) -> Ledger:
    (folder / "files").mkdir(exist_ok=True)
    return Ledger(str(folder), str(folder / "files"))


def test_what_was_added_is_found_by_the_next_one(tmp_path: Path):
    ledger = opened(tmp_path)
    (tmp_path / "files/a b").write_text("x")
    ledger.add("cut", "f1", [Made("a b", 1, "sum")], b"\x01")
    ledger.close()

    entry = opened(tmp_path).find("cut")

    assert entry is not None
    assert (entry.print, bytes.fromhex(entry.value)) == ("f1", b"\x01")
    assert opened(tmp_path).unchanged(entry) == (Made("a b", 1, "sum"),)


def test_a_file_that_is_gone_is_never_unchanged(tmp_path: Path):
    ledger = opened(tmp_path)
    ledger.add("cut", "f1", [Made("never there", 1, "sum")])
    ledger.close()

    entry = opened(tmp_path).find("cut")

    assert entry is not None
    assert opened(tmp_path).unchanged(entry) is None


@pytest.mark.parametrize("checksums", list(Checksums))
def test_a_file_it_does_not_know_is_held_by_its_content_and_without_checksums_by_its_size(
    tmp_path: Path, checksums: Checksums
):
    ledger = opened(tmp_path)
    file, leaf = tmp_path / "files/a", tmp_path / "files/tree/deep/leaf"
    leaf.parent.mkdir(parents=True)
    file.write_text("x")
    leaf.write_text("xy")
    tree = of_tree([("deep/", ""), ("deep/leaf", of_file(str(leaf), checksums))], checksums)
    made = Made("a", 1, of_file(str(file), checksums)), Made("tree/", 2, tree)
    assert [ledger.holds(each) for each in made] == [True, True]

    file.write_text("longer")
    leaf.write_text("longer")
    assert [ledger.holds(each) for each in made] == [False, False]


@pytest.mark.parametrize("checksum", ["", "sum"])
def test_what_is_gone_or_of_another_kind_is_not_held(tmp_path: Path, checksum: str):
    ledger = opened(tmp_path)
    (tmp_path / "files/folder").mkdir()
    (tmp_path / "files/file").write_text("")
    size = (tmp_path / "files/folder").stat().st_size

    gone = [Made("gone", 0, checksum), Made("gone/", 0, checksum)]
    others = [Made("folder", size, checksum), Made("file/", 0, checksum)]
    assert not any(ledger.holds(each) for each in (*gone, *others))


def test_a_line_that_was_cut_costs_no_other(tmp_path: Path):
    ledger = opened(tmp_path)
    ledger.add("one", "f1", ())
    ledger.close()
    with open(tmp_path / LEDGER, "ab") as file:
        file.write(b'{"task": "half')
    ledger = opened(tmp_path)
    ledger.add("two", "f2", ())
    ledger.close()

    assert [opened(tmp_path).find(name) is not None for name in ("one", "half", "two")] == [True, False, True]


def test_it_is_written_anew_when_most_of_it_no_longer_counts(tmp_path: Path):
    for at in range(10):
        ledger = opened(tmp_path)
        ledger.add("same", f"f{at}", ())
        ledger.close()

    entry = opened(tmp_path).find("same")

    assert entry is not None
    assert entry.print == "f9"
    assert len((tmp_path / LEDGER).read_bytes().splitlines()) <= 3


@given(st.binary(max_size=300))
def test_nonsense_is_passed_over(tmp_path_factory, nonsense: bytes):
    folder = tmp_path_factory.mktemp("ledger")
    (folder / LEDGER).write_bytes(nonsense)
    ledger = opened(folder)
    ledger.add("one", "f1", ())
    ledger.close()

    assert opened(folder).find("one") is not None
