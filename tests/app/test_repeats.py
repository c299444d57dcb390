"""Repeats of a workflow: a dot for each, and a word where they are not of one workflow."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.analyse.roofline import roofline
from longpole.app.importers import read_files
from longpole.app.imports import keep
from longpole.app.repeats import case_of_runs
from longpole.model.told import Wishes

HEAD = "JobID|JobName|State|Submit|Start|End|AllocCPUS|NNodes|TotalCPU|NodeList"
PREP = "7|prep|COMPLETED|1000|1100|1200|4|2|00:05:00|n[1-2]"
FIT = "8|fit|COMPLETED|1000|1200|1400|8|2|00:20:00|n[1-2]"
AGAIN = "9|fit|COMPLETED|1000|1200|1500|8|2|00:20:00|n[1-2]"
TEST = "8|test|COMPLETED|1000|1200|1400|8|2|00:20:00|n[1-2]"


@pytest.fixture
def ran(tmp_path: Path):
    """A function that makes a run of jobs; it gives what to call the run by."""

    def make(name: str, *jobs: str) -> str:
        (tmp_path / f"{name}.txt").write_text("\n".join([HEAD, *jobs]))
        return str(keep(read_files([str(tmp_path / f"{name}.txt")], Wishes()), tmp_path / "runs"))

    return make


def told(*runs: str) -> list[str]:
    """Return what is said of these runs being no repeats."""
    return [one for one in case_of_runs(runs).unknown if one.endswith("hold for repeats of it only.")]


def test_repeats_of_one_workflow_are_dots_of_one_case(ran) -> None:
    one, other = ran("one", PREP, FIT), ran("other", FIT, PREP)

    found = roofline(case_of_runs([one, other]))

    assert [dot.makespan_s for dot in found.dots] == [300.0, 300.0]
    assert len({dot.name for dot in found.dots}) == 2
    assert told(one, other) == []


def test_another_number_of_tasks_is_said_and_counted(ran) -> None:
    one, other = ran("one", PREP, FIT), ran("other", PREP, FIT, AGAIN)

    found = roofline(case_of_runs([one, other]))

    [said] = told(one, other)
    assert said.startswith(f"{other} has 3 tasks, {one} 2: ")
    assert [(dot.tasks, dot.y) for dot in found.dots] == [(2, 2 / 300), (3, 3 / 400)]


def test_other_kinds_of_task_are_said(ran) -> None:
    one, other = ran("one", PREP, FIT), ran("other", PREP, TEST)

    [said] = told(one, other)

    assert said.startswith(f"{other} has other kinds of task than {one} (fit, test): ")


def test_many_that_differ_are_one_sentence(ran) -> None:
    one, *others = (ran("one", PREP, FIT), ran("two", PREP), ran("three", PREP, FIT, AGAIN), ran("four", FIT))

    [said] = told(one, *others)

    assert said.startswith(f"{others[0]} has 1 task, {one} 2, and 2 other runs differ, too: ")
