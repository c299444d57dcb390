"""Optuna: searches and trials are phases, whoever runs them, and nothing else is different."""

from __future__ import annotations

import json

import pytest

from tests.parts import need
from tests.record.hooks.twice import Row, Twice, looking_in, run_twice


@pytest.fixture(scope="module")
def work() -> Twice:
    """What a program with several searches says, bare and recorded, and its phases."""
    need("optuna")
    return run_twice("optuna_work.py", "-W", "always")


@pytest.fixture
def rows(work: Twice) -> list[Row]:
    return work.rows


def trials(rows: list[Row], above: str) -> list[Row]:
    """Return the trials that are part of one phase, in order of their numbers, with their attributes."""
    found = [row for row in rows if row["kind"] == "trial" and row["above"] == above]
    return sorted(({**row, **json.loads(row["attributes"])} for row in found), key=lambda row: row["number"])


def test_results_warnings_and_random_numbers_are_the_same_to_the_last_bit(work):
    assert work.bare.code == 0, work.bare.err
    assert work.recorded == work.bare


def test_a_search_is_a_phase_named_by_its_study(rows):
    searches = {row["name"]: row for row in rows if row["kind"] == "search"}

    assert searches.keys() == {"one thread", "two threads", "pair", "asked"}
    assert searches["one thread"]["above"] == "whole"


def test_trials_are_parts_of_their_search_with_what_came_out(rows):
    found = trials(rows, "one thread")

    assert [row["name"] for row in found] == [f"trial {number}" for number in range(14)]
    states = [row["state"] for row in found]
    assert states[3:6] == ["pruned", "failed", "failed"]
    assert set(states[:3] + states[6:]) == {"complete"}
    assert [row["status"] for row in found[2:6]] == ["ok", "ok", "failed", "failed"]


def test_values_and_parameters_are_those_of_the_study(rows, work):
    found = trials(rows, "one thread")
    said = [line.split(" ", 2) for line in work.bare.out.splitlines()[:14]]

    for row, (number, _, rest) in zip(found, said, strict=True):
        values = f"[{row['value']!r}]" if "value" in row else "None"
        assert f"{row['number']}" == number
        assert f"{values} {row['params']!r} " in rest
    assert found[4]["error"] == "ValueError"


def test_several_values_are_a_list(rows):
    assert [row["value"][0] + row["value"][1] for row in trials(rows, "pair")] == [0, 0]


def test_trials_in_other_threads_are_parts_of_the_search(rows):
    found = trials(rows, "two threads")

    assert [row["number"] for row in found] == list(range(8))
    assert 0 not in {row["lane"] for row in found}


def test_phases_begun_in_an_objective_are_parts_of_the_trial(rows):
    inside = [row for row in rows if row["name"] == "inside"]

    assert {row["above_kind"] for row in inside} == {"trial"}
    assert all(row["above"] == f"trial {json.loads(row['attributes'])['number']}" for row in inside)


def test_trials_asked_for_last_until_they_are_told(rows):
    found = trials(rows, "loop")

    assert [(row["number"], row["state"]) for row in found] == [
        (0, "complete"),
        (1, "complete"),
        (2, "pruned"),
    ]
    assert found[0]["params"].keys() == {"x"}
    assert found[0]["start_ns"] < found[2]["start_ns"] < found[0]["end_ns"]


def test_a_search_that_fails_is_failed(rows):
    failed = [row for row in rows if row["kind"] == "search" and row["name"] == "asked"]

    assert [row["status"] for row in failed] == ["failed"] * 3
    assert [json.loads(row["attributes"])["error"] for row in failed] == [
        "StopError",
        "TypeError",
        "TypeError",
    ]


def test_a_failing_program_says_the_same():
    need("optuna")

    twice = run_twice("optuna_failing.py")

    assert "as meant" in twice.bare.err
    assert twice.recorded == twice.bare


LATER = """
class TrialPruned(Exception): pass
class Study:
    {name}
    def optimize(self, function): return function(Trial())
    def ask(self): return Trial()
    def tell(self, trial, value): return None
class Trial: {trial}
study = None
"""


@pytest.mark.parametrize(
    "library",
    [
        "class Study:\n    def optimize(self, function): return function(1)\n",
        LATER.format(name="title = 'later'", trial="pass"),
        LATER.format(name="study_name = 'later'", trial="number = 3"),
    ],
)
def test_a_library_that_has_changed_is_left_alone_and_said(user, tmp_path, library):
    (tmp_path / "optuna.py").write_text(library)
    program = (
        "import optuna; s = optuna.Study(); print(s.optimize(lambda t: 5));"
        "print([s.tell(s.ask(), 1) for _ in range(2)] if hasattr(s, 'ask') else 0)"
    )

    done = user.record(user.python, "-c", program, env=looking_in(user, tmp_path))

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout in ("5\n0\n", "5\n[None, None]\n")
    assert [failure.hook for failure in user.latest().recording.hooks_given_up] == ["optuna"]
