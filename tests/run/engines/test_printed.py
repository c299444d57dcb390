"""What a task has printed last."""

from __future__ import annotations

from pathlib import Path

from longpole.run.engines.printed import last_lines


def test_the_last_lines_are_those_with_something_in_them(tmp_path: Path) -> None:
    path = tmp_path / "t.1.1.log"
    path.write_bytes(b"first\n" * 10_000 + b"\nlast \xff\n\n")

    assert last_lines(str(path), 2) == ["first", "last \N{REPLACEMENT CHARACTER}"]


def test_of_a_file_that_is_not_there_there_are_none(tmp_path: Path) -> None:
    assert last_lines(str(tmp_path / "nowhere"), 2) == []
