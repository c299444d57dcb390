"""Parts of profiler steps: cases worked by hand, and what always holds."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.step_parts import mean_parts, step_parts
from longpole.model.step_parts import StepParts
from tests.analyse.traced import Traced, phases, processes

HOST = ("runtime", "data", "operator", "annotation", "python")
DEVICE = ("kernel", "memcpy", "memset")


def of_rank(*rows: Traced) -> list[StepParts]:
    return list(step_parts(phases(*rows), processes({1: 0})))


def lengths(found: list[StepParts]) -> list[float]:
    return [one.total_us for one in found]


def test_example_by_hand() -> None:
    [found] = of_rank(
        Traced("step", 0, 100, name="ProfilerStep#7"),
        Traced("data", 0, 30),
        Traced("operator", 20, 60),
        Traced("runtime", 40, 50),
        Traced("kernel", 45, 80, launched=(40, 50)),
        Traced("memcpy", 70, 110, launched=(40, 50)),
        Traced("memset", 105, 120, launched=(40, 50)),
    )

    # The step ends with its last work at 120. In order of rank: kernel 45-80, copy 80-110, setting 110-120,
    # call 40-45, data 0-30, operator 30-40. Nothing is left.
    assert found == StepParts(0, "ProfilerStep#7", 35.0, 30.0, 10.0, 5.0, 30.0, 10.0, 0.0)
    assert found.total_us == 120.0


def test_a_step_begins_when_the_work_of_the_one_before_is_done() -> None:
    found = of_rank(
        Traced("step", 0, 10),
        Traced("step", 10, 20),
        Traced("kernel", 5, 14, launched=(1, 2)),
        Traced("kernel", 15, 18, launched=(11, 12)),
    )

    assert lengths(found) == [14.0, 6.0]
    assert [one.kernel_us for one in found] == [9.0, 3.0]


def test_the_first_step_waits_for_work_from_before_it() -> None:
    found = of_rank(
        Traced("step", 10, 20),
        Traced("kernel", 5, 13, launched=(1, 2)),
        Traced("kernel", 15, 18, launched=(11, 12)),
    )

    assert (lengths(found), found[0].kernel_us) == ([7.0], 3.0)


def test_work_whose_call_reaches_out_of_the_step_is_not_the_steps() -> None:
    found = of_rank(Traced("step", 0, 10), Traced("kernel", 5, 30, (9, 11)), Traced("kernel", 6, 12, (1, 2)))

    assert lengths(found) == [12.0]


def test_steps_whose_work_is_cut_off_are_left_out() -> None:
    work = [Traced("kernel", at, at + 1, launched=(at, at)) for at in (0, 1, 2, 3, 10, 11, 12)]
    steps = [Traced("step", at, at + 10) for at in (0, 10, 20)]

    assert len(of_rank(*steps, *work)) == 1
    assert len(of_rank(*steps, *work, Traced("kernel", 13, 14, launched=(13, 13)))) == 2


def test_without_devices_a_step_is_its_mark() -> None:
    found = of_rank(Traced("step", 0, 10), Traced("step", 10, 20), Traced("operator", 5, 12))

    assert lengths(found) == [10.0, 10.0]
    assert [one.operator_us for one in found] == [5.0, 2.0]


def test_ranks_are_apart() -> None:
    rows = [Traced("step", 0, 10, process=at, name=f"s{at}") for at in (1, 2)]
    found = step_parts(phases(*rows, Traced("operator", 0, 4, process=2)), processes({1: 1, 2: 0}))

    assert [(one.rank, one.step, one.operator_us) for one in found] == [(0, "s2", 4.0), (1, "s1", 0.0)]


def test_the_mean_is_over_the_steps_of_a_rank() -> None:
    found = of_rank(Traced("step", 0, 10), Traced("step", 10, 40), Traced("data", 8, 14))

    assert mean_parts(found) == (StepParts(0, "mean", 0, 0, 0, 0, 3.0, 0, 17.0),)
    assert mean_parts([]) == ()


def test_a_run_without_steps_has_no_parts() -> None:
    assert of_rank(Traced("kernel", 0, 1)) == []
    assert of_rank() == []


@given(
    st.lists(st.integers(1, 20), min_size=1, max_size=4),
    st.lists(
        st.tuples(
            st.sampled_from(HOST + DEVICE),
            st.integers(0, 60),
            st.integers(0, 20),
            st.none() | st.integers(0, 60),
        ),
        max_size=12,
    ),
)
def test_parts_sum_to_the_step(marks: list[int], rest: list[tuple[str, int, int, int | None]]) -> None:
    bounds = [sum(marks[:at]) for at in range(len(marks) + 1)]
    steps = [Traced("step", *pair) for pair in pairwise(bounds)]
    work = [
        Traced(kind, at, at + took, None if call is None or kind in HOST else (call, call + 1))
        for kind, at, took, call in rest
    ]

    found = of_rank(*steps, *work)

    assert len(found) <= len(steps)
    for one in found:
        parts = [
            getattr(one, f"{part}_us")
            for part in ("kernel", "memcpy", "memset", "runtime", "data", "operator")
        ]
        assert min(*parts, one.other_us) >= 0
        assert sum(parts) + one.other_us == pytest.approx(one.total_us)
    if not any(row.launched for row in work):
        assert lengths(found) == marks
