"""Arrows of a trace: which task waited for which."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from longpole.app import trace_arrows
from longpole.store.run import StoredRun
from tests.app.drawn import S, counts_of, drawn, phase, told, told_by_slurm


@pytest.fixture
def slurm_run(tmp_path: Path) -> Iterator[StoredRun]:
    with told_by_slurm(tmp_path) as run:
        yield run


def test_arrows_lead_from_the_last_attempt_to_the_first(slurm_run: StoredRun, tmp_path: Path) -> None:
    with drawn(slurm_run, tmp_path) as ask:
        found = ask(
            """select one.category || ' ' || one.ts as one, two.category || ' ' || two.ts as two from flow
            join (select id as one_id, * from slice) one on slice_out = one_id
            join (select id as two_id, * from slice) two on slice_in = two_id order by two"""
        )

    assert found == [(f"exec {1001 * S}", f"exec {1015 * S}"), (f"exec {1001 * S}", f"exec {1020 * S}")]
    counts = counts_of(slurm_run)
    assert (counts.arrows, counts.arrows_left_out) == (
        2,
        2,
    )  # 'last' was submitted before both of 'train' ran


def test_arrows_above_a_bound_are_counted(slurm_run: StoredRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_arrows, "MOST_ARROWS", 1)

    counts = counts_of(slurm_run)

    assert (counts.arrows, counts.arrows_left_out) == (1, 3)


def test_several_files_between_two_tasks_are_one_arrow(tmp_path: Path) -> None:
    tasks = [{"id": number, "name": f"work {number}", "type": "work"} for number in (1, 2)]
    phases = [phase(1, "exec", (0, 1)), phase(2, "exec", (1, 2), task=2)]
    edges = [{"id": number, "kind": "data", "from_task": 1, "to_task": 2} for number in (1, 2, 3)]

    counts = counts_of(told(tmp_path, tasks, phases, edges))

    assert (counts.arrows, counts.arrows_left_out) == (1, 0)


def test_tasks_that_begin_at_one_moment_have_an_arrow_in_the_order_they_are_written(tmp_path: Path) -> None:
    tasks = [{"id": number, "name": f"work {number}", "type": "work"} for number in (1, 2)]
    phases = [phase(1, "exec", (0, 0)), phase(2, "exec", (0, 2), task=2)]
    run = told(tmp_path, tasks, phases, [{"id": 1, "kind": "data", "from_task": 1, "to_task": 2}])

    with drawn(run, tmp_path) as ask:
        assert ask("select count(*) as n from flow") == [(1,)]
