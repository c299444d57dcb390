"""What jobs print: a file for each that prints something, and none for others."""

from __future__ import annotations

import os
from pathlib import Path

from longpole.run.engines.local.outputs import Outputs, remove_spare


def test_what_was_printed_gets_its_name_and_silence_none(tmp_path: Path) -> None:
    outputs = Outputs(str(tmp_path))
    loud, silent = outputs.take(), outputs.take()
    os.write(loud[0], b"first\n\nlast\n")

    assert outputs.give_back(silent, lambda: "silent.log") == ""
    path = outputs.give_back(loud, lambda: "loud.log")
    outputs.close()

    assert Path(path).read_text() == "first\n\nlast\n"
    assert os.listdir(tmp_path) == ["loud.log"]


def test_what_was_printed_keeps_its_name_where_there_is_no_room_for_another(tmp_path: Path) -> None:
    outputs = Outputs(str(tmp_path))
    taken = outputs.take()
    os.write(taken[0], b"printed\n")

    path = outputs.give_back(taken, lambda: "too long " * 100)
    outputs.close()

    assert (path, Path(path).read_text()) == (taken[1], "printed\n")


def test_a_worker_that_starts_leaves_what_others_write_to(tmp_path: Path) -> None:
    first = Outputs(str(tmp_path))
    taken = first.take()

    Outputs(str(tmp_path))
    os.write(taken[0], b"printed\n")

    assert Path(first.give_back(taken, lambda: "task.log")).read_text() == "printed\n"


def test_what_a_killed_driver_left_is_removed_unless_a_job_has_written_to_it(tmp_path: Path) -> None:
    (tmp_path / ".11-1").touch()
    (tmp_path / ".11-2").write_text("printed\n")

    remove_spare(str(tmp_path))
    remove_spare(str(tmp_path / "not there"))

    assert os.listdir(tmp_path) == [".11-2"]
