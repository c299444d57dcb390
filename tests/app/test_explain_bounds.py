"""Real commands, recorded and explained: what bounded their phases."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.app.explaining import explain_run
from longpole.app.sampled import for_rules, of_processes
from longpole.model.bounds import Bound
from tests.analyse.workloads import listed
from tests.recording import Someone

PROGRAM = """
import time
import longpole

def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

with longpole.phase("rest"):
    time.sleep(1.0)
with longpole.phase("spin"):
    spin(1.5)
"""


@pytest.fixture
def recorded(user: Someone, tmp_path: Path) -> Someone:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    found = user.record(user.python, str(file))
    assert found.returncode == 0, found.stderr
    return user


def bounds_of(user: Someone) -> dict[str, Bound]:
    with user.latest() as run:
        return {one.what: one for one in explain_run(run).explanation.bounds}


def test_a_loop_is_bound_by_cores_and_a_sleep_by_nothing_that_is_seen(recorded: Someone) -> None:
    found = bounds_of(recorded)
    spin, rest = found["spin"], found["rest"]

    # on a host that is full with others' work a loop is held by all cores, on any other by its own
    assert sum(one.share for one in spin.held if one.resource == "cores") >= 0.7
    assert spin.gains[0].resource == "cores"
    assert rest.waiting_share >= 0.7
    cores = {name: one.uses[0].mean for name, one in found.items() if one.uses}
    assert cores["spin"] * spin.seconds == pytest.approx(1.5, rel=0.15)
    assert cores.get("rest", 0.0) <= 0.15


def test_shares_of_a_real_run_add_up(recorded: Someone) -> None:
    for one in bounds_of(recorded).values():
        total = sum(part.share for part in one.held) + one.waiting_share + one.unseen_share
        assert 0.9 <= total <= 1 + 1e-6


def test_the_answers_speak_of_it(recorded: Someone) -> None:
    with recorded.latest() as run:
        said = explain_run(run).explanation.questions.resources

    assert "spin" in said
    assert "core" in said


def test_fewer_samples_have_the_same_mass(recorded: Someone) -> None:
    with recorded.latest() as run:
        every, few = (of_processes(run, "cpu", most=most) for most in (10**6, 3))

    masses = [
        sum((end - start) * value for start, end, value in listed(found, "start_ns", "end_ns", "value"))
        for found in (every, few)
    ]
    assert few.rows < every.rows
    assert masses[1] == pytest.approx(masses[0], rel=1e-9)


def test_rules_see_hosts_and_the_cores_of_processes(recorded: Someone) -> None:
    with recorded.latest() as run:
        seen = set(listed(for_rules(run), "scope", "kind", "metric", "unit"))

    assert ("process", "cpu", "used", "cores") in seen
    assert ("host", "cpu", "user", "cores") in seen
    assert not {row for row in seen if row[0] == "process" and row[1] != "cpu"}
