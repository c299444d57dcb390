"""Where the control group of a process is, and what its files say."""

from __future__ import annotations

import os
from pathlib import Path

from longpole.run.memory.group_files import Hierarchy, group_of, read_count, read_number, remove, write


def test_a_group_lies_below_where_its_tree_is_mounted(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)

    assert Hierarchy(str(tmp_path), "/").folder("/a/b") == str(tmp_path / "a" / "b")
    assert Hierarchy(str(tmp_path), "/outer").folder("/outer/a") == str(tmp_path / "a")


def test_a_group_that_cannot_be_seen_is_taken_for_the_root(tmp_path: Path) -> None:
    assert Hierarchy(str(tmp_path), "/").folder("/not/here") == str(tmp_path)
    assert Hierarchy(str(tmp_path), "/inner").folder("/") == str(tmp_path)
    assert Hierarchy(str(tmp_path), "/").folder("/../..") == str(tmp_path)


def test_a_process_that_is_gone_has_no_group() -> None:
    assert group_of(2**22 + 1, "memory") == ""


def test_counts_and_numbers_that_are_not_there_are_none(tmp_path: Path) -> None:
    path = tmp_path / "memory.events"
    assert (read_count(str(path), "oom_kill"), read_number(str(path))) == (0, None)

    path.write_text("oom 7\noom_kill 3\noom_group_kill 2\n")
    assert read_count(str(path), "oom_kill") == 3
    path.write_text("max\n")
    assert read_number(str(path)) is None
    path.write_text("4096\n")
    assert read_number(str(path)) == 4096


def test_writing_never_makes_a_file(tmp_path: Path) -> None:
    assert not write(str(tmp_path / "cgroup.kill"), "1")
    assert os.listdir(tmp_path) == []


def test_removing_what_is_not_there_is_no_fault(tmp_path: Path) -> None:
    remove(str(tmp_path / "gone"))
