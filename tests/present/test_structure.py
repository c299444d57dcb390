from __future__ import annotations

from dataclasses import replace

from longpole.model.explanation import FileFlow
from longpole.present.structure import replayed, structure, unit_of
from tests.present.explained import FULL


def said(**changes: object) -> str:
    return " ".join(structure(replace(FULL, **changes)))  # type: ignore[arg-type]


def test_structure_tells_tasks_edges_levels_and_width():
    assert structure(FULL)[0] == "27 tasks, 38 edges, 5 levels, 12 wide; 14 could run at once."


def test_a_lower_bound_is_said_to_be_one():
    assert "at least 14 could run at once" in said(antichain_exact=False)


def test_ideal_speed_up_is_all_work_over_the_longest_chain():
    assert "The longest chain takes 1 min 36 s of 7 min 52 s of work: ideal speed-up 4.9." in said()
    assert "With room for all (13 at once) and no waits it could end after 1 min 36 s, 32 % sooner." in said()


def test_what_is_not_known_is_left_out_with_a_sentence():
    assert said(tasks=0) == "No tasks are known."
    assert "nothing is known of which depends on which" in said(edges=0)
    assert "How long they took is not known." in said(critical_path_s=0.0)
    assert "sooner" not in said(makespan_s=None)


def test_a_chain_longer_than_the_run_promises_nothing():
    assert "sooner" not in said(critical_path_s=150.0)


def test_files_are_told_of_if_there_are_any():
    assert "81 files: 4.2 GB come in, 11.3 GB pass between tasks, 52 MB come out." in said()
    assert "files" not in said(flow=FileFlow(0, 0, 0, 0))


def test_files_of_unknown_size_are_counted():
    assert "not known" not in said()
    assert "How large 1,444 of these are is not known; they count as nothing here." in said(
        flow=FileFlow(2907, 0, 5, 5, unsized=1444)
    )


def test_replay_says_how_far_to_believe_it():
    assert replayed(FULL) == (
        "A replay of the run as it was errs by 1.2 %; savings come from the same replay."
    )
    assert "take savings with care" in replayed(replace(FULL, self_replay_error=-0.09))
    assert "was not replayed" in replayed(replace(FULL, self_replay_error=None))


def test_unit_is_what_is_counted():
    assert unit_of(replace(FULL, unit="process"), 2) == "2 processes"
    assert unit_of(replace(FULL, unit="phase"), 1) == "1 phase"
