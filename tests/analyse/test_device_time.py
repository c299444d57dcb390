"""Time of devices: cases worked by hand, and what always holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.device_time import device_times
from longpole.model.columns import Columns, integers
from longpole.model.device_time import DeviceTime, LastStep, Rounding
from tests.analyse.traced import Traced, phases, processes

NCCL = "ncclKernel_AllReduce"
TIMES = ("start_ns", "end_ns")
WORK = st.builds(
    lambda kind, name, start, length: Traced(kind, start, start + length, (start, start), name),
    st.sampled_from(["kernel", "memcpy", "memset"]),
    st.sampled_from([NCCL, "gemm"]),
    st.integers(0, 30),
    st.integers(0, 10),
)


def one(
    *rows: Traced, rounding: Rounding = Rounding.EXACT, last_step: LastStep = LastStep.DROPPED
) -> DeviceTime:
    [found] = device_times(phases(*rows), processes({1: 0}), rounding=rounding, last_step=last_step)
    return found


def test_example_by_hand() -> None:
    found = one(
        Traced("kernel", 0, 10, name="gemm"),
        Traced("kernel", 8, 16, name=NCCL),
        Traced("memcpy", 14, 20, name="Memcpy"),
        Traced("kernel", 30, 40, name="relu"),
    )

    # From 0 to 40; computing 0-10 and 30-40; idle 20-30; of 8 of communication 2 beside computation.
    assert found == DeviceTime(0, 10.0, 20.0, 10.0, 40.0, 25.0)


def test_streams_that_run_together_count_once() -> None:
    assert one(Traced("kernel", 0, 10), Traced("kernel", 2, 8), Traced("kernel", 5, 12)).compute_us == 12.0


def test_without_communication_there_is_no_overlap() -> None:
    assert one(Traced("kernel", 0, 10)).overlap_percent is None
    assert one(Traced("kernel", 0, 10), Traced("memcpy", 2, 4, name=NCCL)).overlap_percent is None


def test_what_the_last_step_launched_is_dropped() -> None:
    rows = (
        Traced("step", 0, 10),
        Traced("step", 10, 20),
        Traced("kernel", 5, 25, launched=(4, 5)),
        Traced("kernel", 26, 30, launched=(10, 11)),
        Traced("kernel", 40, 41),
    )

    assert one(*rows).span_us == 20.0
    assert one(*rows, last_step=LastStep.KEPT).span_us == 36.0


def test_one_step_is_not_dropped() -> None:
    assert (
        one(Traced("step", 0, 10), Traced("kernel", 5, 25, launched=(4, 5)), Traced("kernel", 30, 31)).span_us
        == 26
    )


def test_steps_of_one_rank_do_not_drop_work_of_another() -> None:
    rows = [
        Traced("step", 0, 10),
        Traced("step", 10, 20),
        Traced("kernel", 12, 15, launched=(11, 12)),
        Traced("kernel", 12, 15, process=2),
    ]

    assert [found.rank for found in device_times(phases(*rows), processes({1: 0, 2: 1}))] == [1]


def test_ranks_come_in_their_order_and_those_without_one_last() -> None:
    rows = [Traced("kernel", 0, at, process=at) for at in (1, 2, 3)]

    found = device_times(phases(*rows), processes({1: None, 2: 5, 3: 4}))
    assert [(one.rank, one.span_us) for one in found] == [(4, 3.0), (5, 2.0), (None, 1.0)]


def test_rounding_as_hta_takes_whole_microseconds_inside() -> None:
    rows = (Traced("kernel", 0.2, 10.9), Traced("kernel", 12.5, 20.1))

    assert one(*rows) == DeviceTime(0, 1.6, 18.3, 0.0, 19.9, None)
    assert one(*rows, rounding=Rounding.HTA) == DeviceTime(0, 3.0, 16.0, 0.0, 19.0, None)


def test_rounding_as_hta_goes_through_the_floats_of_the_file() -> None:
    late = 1_700_000_000_000_000.0
    table = phases(Traced("kernel", 0.1, 10.9), Traced("kernel", 20, 30))
    columns = {
        **table,
        **{name: integers([at + round(late) * 1000 for at in _whole(table, name)]) for name in TIMES},
    }

    # A float as large as the time of day has steps of a quarter: 0.1 becomes 0.
    for base, compute in ((0, 20.0), (round(late) * 1000, 19.0)):
        owner = Columns({"id": integers([1]), "rank": integers([0]), "base_ns": integers([base])})
        [found] = device_times(Columns(columns), owner, rounding=Rounding.HTA)
        assert found.compute_us == compute


def _whole(table: Columns, name: str) -> list[int]:
    return [cell for cell in table[name] if isinstance(cell, int)]


def test_a_run_without_devices_has_no_times() -> None:
    assert device_times(phases(Traced("step", 0, 1)), processes({1: 0})) == ()
    assert device_times(phases(), processes({})) == ()


@given(st.lists(WORK, min_size=1, max_size=15), st.sampled_from(Rounding))
def test_idle_compute_and_the_rest_are_the_whole(rows: list[Traced], rounding: Rounding) -> None:
    found = one(*rows, rounding=rounding)

    assert found.idle_us + found.compute_us + found.non_compute_us == pytest.approx(found.span_us)
    assert min(found.idle_us, found.compute_us, found.non_compute_us) >= 0
    assert found.overlap_percent is None or 0 <= found.overlap_percent <= 100


@given(st.lists(WORK, min_size=1, max_size=15))
def test_every_instant_is_counted_once(rows: list[Traced]) -> None:
    def instants(*chosen: Traced) -> set[int]:
        return {at for row in chosen for at in range(int(row.start), int(row.end))}

    found = one(*rows)

    computes = instants(*(row for row in rows if row.kind == "kernel" and row.name != NCCL))
    assert found.compute_us == len(computes)
    assert found.span_us - found.idle_us == len(instants(*rows))
