"""A recorded run knows which of its processes a trace is of, and which traces it has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from longpole.store.derive.within import Traced
from longpole.store.grafting import Recorded
from tests.builders import HandmadeRun, utc
from tests.traces import PID, program, put, traced

ONE = Traced(1, PID, "", utc(130), utc(140))


@pytest.fixture
def run(tmp_path: Path) -> HandmadeRun:
    made = HandmadeRun(tmp_path)
    with made.log() as log:
        program(log)
    return made


def recorded(run: HandmadeRun) -> Recorded:
    return Recorded(run.path, str(run.manifest["started"]))


def test_a_process_is_found_by_pid_and_time(run: HandmadeRun) -> None:
    later = replace(ONE, start_ns=utc(5000), end_ns=utc(5001))

    assert [known.pid for known in recorded(run).same_as(ONE)] == [PID]
    assert recorded(run).same_as(later) == []
    assert [known.pid for known in recorded(run).namesakes(later)] == [PID]
    assert recorded(run).namesakes(replace(ONE, pid=9)) == []


def test_a_trace_is_taken_once(run: HandmadeRun) -> None:
    answers = recorded(run)

    assert [answers.take([ONE]), answers.take([ONE])] == [False, True]


def test_a_trace_that_was_put_into_the_run_is_known(run: HandmadeRun) -> None:
    put(run, traced("aten::mm", 130, 140))

    assert recorded(run).take([ONE])
    assert not recorded(run).take([replace(ONE, end_ns=utc(141))])
