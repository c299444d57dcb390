"""The journal of a run: what is flushed is in the log, however much it is at once."""

from __future__ import annotations

import pytest

from longpole.log.files import BACKLOG_BYTES
from longpole.model.workflow import Task, Template
from longpole.run.journal import Journal, JournalError, Result
from longpole.run.messages import Made
from longpole.store.workflow import read_driver_logs


def test_more_tasks_than_a_log_holds_back_are_all_written(tmp_path):
    (tmp_path / "log").mkdir()
    journal = Journal(str(tmp_path), {}, {})
    long_name = "x" * 1000
    count = 2 * BACKLOG_BYTES // len(long_name)

    for number in range(count):
        journal.plan(_task(f"{long_name}{number}"), 0)
    journal.flush()

    assert len(read_driver_logs(tmp_path).planned) == count
    journal.close()


def test_a_note_too_large_for_the_log_stops_the_run(tmp_path, monkeypatch):
    (tmp_path / "log").mkdir()
    monkeypatch.setattr("longpole.run.journal._LARGEST_BYTES", BACKLOG_BYTES)
    journal = Journal(str(tmp_path), {}, {})
    journal.plan(_task("x" * BACKLOG_BYTES), 0)

    with pytest.raises(JournalError, match="Cannot write the log of this run"):
        journal.flush()


def test_a_commit_of_many_files_and_large_values_is_told_whole(tmp_path):
    (tmp_path / "log").mkdir()
    journal = Journal(str(tmp_path), {}, {})
    one = journal.plan(_task("one"), 0)
    journal.start(one, 1, 1, 1)
    made = tuple(Made(f"tiles/{number}.png", number, f"{number:032x}") for number in range(165_000))
    value = bytes(BACKLOG_BYTES)

    journal.commit(one, 1, 2, [], Result(made, value))
    journal.flush()

    log = read_driver_logs(tmp_path)
    assert log.jobs[one].committed
    assert bytes.fromhex(log.jobs[one].value) == value
    assert len(log.jobs[one].outputs) == len(made)
    journal.close()


def _task(name: str) -> Task:
    return Task(name, Template("one", command="true"), {}, (), ())
