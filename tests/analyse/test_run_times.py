"""Times of a run: sums that agree with their parts, and reasons for what nobody told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.run_times import TimesEvidence, auxiliary_types, run_times
from longpole.model.columns import Columns, floats, integers, texts
from longpole.model.manifest import Manifest, State
from longpole.model.recording import RecordingNotes

Kind = tuple[str, str, str, float | None]


def _evidence(kinds: list[Kind], sums: dict[str, float], **notes: object) -> TimesEvidence:
    """Return evidence of one task of each kind: its type, outcome, what its teller calls it, seconds."""
    took = [seconds for *_, seconds in kinds]
    tasks = {
        "type": texts([kind[0] for kind in kinds]),
        "outcome": texts([kind[1] for kind in kinds]),
        "job_type": texts([kind[2] or None for kind in kinds]),
        "tasks": integers([1] * len(kinds)),
        "timed": integers([int(seconds is not None) for seconds in took]),
        "total_ns": floats([None if seconds is None else seconds * 1e9 for seconds in took]),
        "retries": integers([0] * len(kinds)),
        "failed": integers([0] * len(kinds)),
    }
    run = {name: integers([None]) for name in ("start_ns", "end_ns")}
    return TimesEvidence(
        manifest=Manifest(1, "0badcafe", "made"),
        state=State.FINISHED,
        notes=RecordingNotes(**notes),  # type: ignore[arg-type]
        run=Columns({**run, "status": texts(["ok"]), "attributes": texts([None])}),
        tasks=Columns(tasks),
        kinds=Columns(
            {"kind": texts(list(sums)), "total_ns": floats([each * 1e9 for each in sums.values()])}
        ),
    )


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20), st.floats(0, 1e6))
def test_computing_is_the_sum_over_tasks_whatever_was_staged(seconds: list[float], staged: float):
    kinds: list[Kind] = [(f"k{at}", "ran", "", took) for at, took in enumerate(seconds)]

    times = run_times(_evidence(kinds, {"stage_in": staged}, workflow="w"))

    assert times.compute_s == pytest.approx(sum(seconds))
    assert times.stage_in_s == pytest.approx(staged)
    assert times.tasks == len(seconds)


def test_what_a_system_that_is_not_ours_did_not_tell_is_not_known():
    times = run_times(_evidence([("a", "ran", "", None)], {}, told_by=("Nextflow",)))

    assert (times.compute_s, times.stage_out_s, times.end_to_end_s) == (None, None, None)
    assert times.reasons == {
        "end_to_end_s": "Nextflow did not tell when it began and ended",
        "compute_s": "Nextflow told nothing of how long tasks took",
        "stage_in_s": "Nextflow told nothing of staging",
        "stage_out_s": "Nextflow told nothing of staging",
        "container_s": "Nextflow told nothing of starting containers",
        "queue_s": "Nextflow told nothing of waiting for room",
    }


def test_what_pegasus_added_itself_does_not_compute():
    kinds: list[Kind] = [
        ("fit", "ran", "compute", 5.0),
        ("stage_in", "ran", "stage-in-tx", 7.0),
        ("x", "ran", "dax", 9.0),
    ]
    evidence = _evidence(kinds, {}, told_by=("Pegasus",))

    assert run_times(evidence).compute_s == 5.0
    assert auxiliary_types(evidence.tasks, ()) == {"stage_in", "x"}


def test_how_long_a_system_says_a_workflow_took_counts_before_what_lies_between_known_times():
    times = run_times(replace(_evidence([("a", "ran", "", 1.0)], {}, told_by=("x",)), told_ns=4_000_000_000))

    assert times.end_to_end_s == 4.0
