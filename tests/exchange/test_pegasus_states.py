"""The life of a job in Pegasus: what it waited for, what it ran, how it ended."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies

from longpole.exchange.pegasus_states import Life, life_of
from longpole.model.execution import Status

STATES = (
    *("PRE_SCRIPT_STARTED", "PRE_SCRIPT_TERMINATED", "PRE_SCRIPT_SUCCESS", "PRE_SCRIPT_FAILED", "SUBMIT"),
    *("GRID_SUBMIT", "SUBMIT_FAILED", "EXECUTE", "IMAGE_SIZE", "JOB_EVICTED", "JOB_HELD", "JOB_RELEASED"),
    *("JOB_TERMINATED", "JOB_ABORTED", "JOB_SUCCESS", "JOB_FAILURE", "POST_SCRIPT_STARTED"),
    *("POST_SCRIPT_TERMINATED", "POST_SCRIPT_SUCCESS", "POST_SCRIPT_FAILED", "what is this"),
)


def life(*moments: tuple[str, int], exit_code: int | None = None) -> Life:
    return life_of(moments, exit_code)


def parts(one: Life) -> list[tuple[str, int | None, int | None]]:
    return [(part.kind, part.start_ns, part.end_ns) for part in one.parts]


def test_job_with_both_scripts_has_five_parts_of_its_life() -> None:
    one = life(
        ("PRE_SCRIPT_STARTED", 1),
        ("PRE_SCRIPT_TERMINATED", 9),
        ("PRE_SCRIPT_SUCCESS", 9),
        ("SUBMIT", 11),
        ("EXECUTE", 20),
        ("JOB_TERMINATED", 30),
        ("JOB_SUCCESS", 34),
        ("POST_SCRIPT_STARTED", 34),
        ("POST_SCRIPT_TERMINATED", 35),
        ("POST_SCRIPT_SUCCESS", 39),
    )

    assert parts(one) == [("pre", 1, 9), ("queue", 11, 20), ("exec", 20, 30), ("post", 34, 35)]
    assert (one.start_ns, one.end_ns, one.status) == (1, 39, Status.OK)


def test_job_that_was_evicted_and_held_waited_again() -> None:
    one = life(
        ("SUBMIT", 1),
        ("EXECUTE", 2),
        ("JOB_EVICTED", 5),
        ("JOB_HELD", 6),
        ("JOB_RELEASED", 9),
        ("EXECUTE", 10),
        ("IMAGE_SIZE", 11),
        ("JOB_TERMINATED", 12),
        ("JOB_SUCCESS", 12),
    )

    assert parts(one) == [
        ("queue", 1, 2),
        ("exec", 2, 5),
        ("queue", 5, 6),
        ("hold", 6, 9),
        ("queue", 9, 10),
        ("exec", 10, 12),
    ]
    assert [part.status for part in one.parts if part.kind == "exec"] == [Status.FAILED, Status.OK]


@pytest.mark.parametrize(
    ("moments", "status"),
    [
        ([("SUBMIT", 1)], Status.UNFINISHED),
        ([("SUBMIT", 1), ("EXECUTE", 2)], Status.UNFINISHED),
        ([("SUBMIT", 1), ("JOB_ABORTED", 2)], Status.FAILED),
        ([("SUBMIT_FAILED", 1)], Status.FAILED),
        ([("PRE_SCRIPT_STARTED", 1), ("PRE_SCRIPT_SUCCESS", 2)], Status.UNFINISHED),
        ([("PRE_SCRIPT_STARTED", 1), ("PRE_SCRIPT_FAILED", 2)], Status.FAILED),
        ([("EXECUTE", 1), ("JOB_SUCCESS", 2), ("POST_SCRIPT_STARTED", 2)], Status.UNFINISHED),
        ([("JOB_FAILURE", 1), ("POST_SCRIPT_STARTED", 1), ("POST_SCRIPT_SUCCESS", 2)], Status.OK),
        ([("JOB_SUCCESS", 1), ("POST_SCRIPT_STARTED", 1), ("POST_SCRIPT_FAILED", 2)], Status.FAILED),
        ([], Status.UNFINISHED),
    ],
)
def test_last_verdict_counts_unless_something_still_goes_on(
    moments: list[tuple[str, int]], status: Status
) -> None:
    assert life(*moments).status is status


def test_exit_code_tells_where_no_state_does() -> None:
    assert life(("EXECUTE", 1), ("JOB_TERMINATED", 2), exit_code=256).status is Status.FAILED
    assert life(("EXECUTE", 1), ("JOB_TERMINATED", 2), exit_code=0).status is Status.OK


def test_end_before_its_begin_is_not_known() -> None:
    one = life(("SUBMIT", 10), ("EXECUTE", 20), ("JOB_TERMINATED", 5), ("JOB_SUCCESS", 5))

    assert parts(one) == [("queue", 10, 20), ("exec", 20, None)]
    assert one.contradicts
    assert one.end_ns is None


@given(
    strategies.lists(
        strategies.tuples(strategies.sampled_from(STATES), strategies.integers(0, 99)), max_size=12
    )
)
def test_parts_follow_each_other_whatever_the_states(moments: list[tuple[str, int]]) -> None:
    ordered = [(state, at) for (state, _), at in zip(moments, sorted(at for _, at in moments), strict=True)]

    one = life_of(ordered, None)

    ends = [at for part in one.parts for at in (part.start_ns, part.end_ns) if at is not None]
    assert ends == sorted(ends)
    assert not one.contradicts
