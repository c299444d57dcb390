from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.phases import Sum
from longpole.analyse.steps import Counting, counting, parts_of_steps, step_uses
from longpole.log.slots import bin_of, bin_start
from tests.analyse.evidence import SECOND, full, many, part, process, table

NS = st.integers(0, 10**12)
LENGTHS = st.lists(st.integers(1, 10**10), max_size=30)
PARTS = ("data", "forward", "backward", "optimizer", "checkpoint")


def steps_of(*rows, processes=()):
    return step_uses(table("steps", *rows), table("processes", *processes))


def checkpoint(total_ns, **known):
    return part("checkpoint", total_ns, what="checkpoint", part_name=None, **known)


def noted(durations):
    """The rows of steps that were noted one by one, as SQL sums them up."""
    if not durations:
        return []
    ordered = sorted(durations)
    middle, high = ordered[len(ordered) // 2], ordered[-1]
    known = {"low_ns": ordered[0], "high_ns": high, "p50_ns": middle, "p95_ns": high}
    bins = {bin_start(bin_of(one)) for one in durations}
    counts = {start: sum(bin_start(bin_of(one)) == start for one in durations) for start in bins}
    rows = [{**full(count, 0), "what": "bin", "low_ns": start} for start, count in counts.items()]
    return [full(len(durations), sum(durations), **known), *rows]


def counted(durations, **parts_ns):
    """The row that stands for steps that were only counted."""
    starts = [bin_start(bin_of(one)) for one in durations]
    bins = [[start, starts.count(start)] for start in sorted(set(starts))]
    attributes = json.dumps({"bins": bins, "parts_ns": parts_ns})
    return [many(len(durations), sum(durations), attributes)] if durations else []


def test_steps_worked_by_hand():
    # ten steps of 1 s each: 2 s of data, 3 forward, 4 backward; a checkpoint of 0.5 s; the rest is other
    rows = [full(10, 10 * SECOND), checkpoint(SECOND // 2)]
    rows += [part("data", 2 * SECOND), part("forward", 3 * SECOND), part("backward", 4 * SECOND)]

    (use,) = steps_of(*rows, processes=[process(1, pid=7, rank=1, world=2)])

    assert (use.process, use.pid, use.rank, use.world) == (1, 7, 1, 2)
    assert (use.kind, use.name, use.count, use.total_s) == ("training", "step", 10, 10.0)
    assert (use.mean_s, use.p50_s, use.p95_s) == (1.0, 1.0, 1.0)
    assert list(use.parts) == [*PARTS, "other"]
    assert list(use.parts.values()) == [2.0, 3.0, 4.0, 0.0, 0.5, 0.5]


def test_counted_steps_are_added_with_their_parts():
    # 2 noted steps of 1 s with 0.4 s of data, 8 counted ones of 0.25 s with 1 s of data in all
    bin_of_them = bin_start(bin_of(SECOND // 4))
    attributes = json.dumps({"bins": [[bin_of_them, 8]], "parts_ns": {"data": SECOND, "optimizer": 5}})
    rows = [full(2, 2 * SECOND), part("data", 2 * SECOND // 5), many(8, 2 * SECOND, attributes)]

    (use,) = steps_of(*rows)

    assert (use.count, use.total_s, use.mean_s) == (10, 4.0, 0.4)
    assert (use.data_s, use.optimizer_s) == (1.4, 5e-9)
    assert bin_of_them / 1e9 <= (use.p50_s or 0.0) <= 1.25 * bin_of_them / 1e9
    assert counting(table("steps", *rows)) == Counting(2, 8)


def light(count, total_ns, waits_ns):
    """The row of steps of which only the wait for data is known."""
    return {**full(count, total_ns), "what": "light", "low_ns": waits_ns}


def test_steps_noted_lightly_spend_what_they_did_not_wait_as_the_others_do():
    # two steps of 1 s in full: 0.4 s of data, then 0.8 forward, 0.6 backward, 0.1 optimizer, 0.1 other;
    # eight of 0.6 s lightly, half of each a wait
    rows = [full(10, 68 * SECOND // 10), light(8, 48 * SECOND // 10, 24 * SECOND // 10)]
    rows += [part("data", 28 * SECOND // 10), part("forward", 8 * SECOND // 10)]
    rows += [part("backward", 6 * SECOND // 10), part("optimizer", SECOND // 10)]

    (use,) = steps_of(*rows)

    scale = 1 + 2.4 / 1.6
    expected = [2.8, 0.8 * scale, 0.6 * scale, 0.1 * scale, 0.0, 0.1 * scale]
    assert list(use.parts.values()) == pytest.approx(expected)
    assert sum(use.parts.values()) == pytest.approx(use.total_s)
    assert counting(table("steps", *rows)) == Counting(10, 0, 0, 8)


def test_steps_of_which_no_part_was_looked_at_are_taken_to_be_as_the_others():
    # four steps of 1 s: of three, half is forward; the fourth was cut
    rows = [full(4, 4 * SECOND), part("data", SECOND), part("forward", 3 * SECOND // 2)]
    rows += [{**full(1, SECOND), "what": "cut"}]

    (use,) = steps_of(*rows)

    assert (use.count, use.data_s, use.forward_s) == (4, pytest.approx(4 / 3), pytest.approx(2.0))


@given(NS, NS, NS, NS, NS, st.integers(0, 100))
def test_parts_never_exceed_the_steps_whatever_was_noted_lightly(
    total_ns, light_ns, waits_ns, saved_ns, light_saved_ns, count
):
    light_ns = min(light_ns, total_ns)
    waits_ns = min(waits_ns, light_ns)
    light_saved_ns = min(light_saved_ns, light_ns - waits_ns)
    saved_ns = min(saved_ns, total_ns - light_ns)
    rows = [full(count + 1, total_ns), light(count, light_ns, waits_ns)]
    rows += [part("data", waits_ns), part("forward", total_ns - light_ns - saved_ns)]
    rows += [checkpoint(saved_ns), {**checkpoint(light_saved_ns), "part_name": "light"}]

    (use,) = steps_of(*rows)

    assert sum(use.parts.values()) <= use.total_s * (1 + 1e-9) + 1e-9
    assert use.checkpoint_s == pytest.approx((saved_ns + light_saved_ns) / 1e9, abs=2e-9)


def test_training_comes_first_and_then_processes_in_order():
    rows = [full(1, 5, process=at, kind=kind) for at, kind in ((1, "inference"), (3, "step"), (2, "step"))]

    assert [(use.kind, use.process) for use in steps_of(*rows)] == [
        *(("training", 2), ("training", 3), ("inference", 1))
    ]


def test_steps_that_the_user_has_marked_are_kept_apart():
    uses = steps_of(full(5, 50), full(3, 30, mark="mine", name="mine"))

    assert [(use.name, use.count) for use in uses] == [("step", 5), ("mine", 3)]


def test_models_of_one_process_are_one_row_with_the_name_that_most_steps_have():
    rows = [full(2, 20, kind="inference", name="A"), many(9, 90, kind="inference", name="B")]

    (use,) = steps_of(*rows, many(1, 0, kind="inference", name="?"))

    assert (use.name, use.count, use.total_s) == ("B", 12, 1.1e-7)


def test_steps_of_which_only_the_number_is_known_have_no_say_in_percentiles():
    (use,) = steps_of(full(5, 50), many(3, 0, name="?"))
    (alone,) = steps_of(many(3, 0, name="?"))

    assert (use.name, use.count, use.p50_s, use.p95_s) == ("step", 8, 1e-8, 1e-8)
    assert (alone.name, alone.count, alone.p50_s, alone.total_s) == ("?", 3, None, 0.0)


def test_steps_without_parts_are_taken_to_be_like_those_with():
    # 2 s of steps were looked into: 1 s of data, 0.5 s forward, a checkpoint of 0.4 s. 16 s were not.
    rows = [full(2, 2 * SECOND), part("data", SECOND), part("forward", SECOND // 2)]
    rows += [checkpoint(2 * SECOND // 5), many(16, 16 * SECOND)]

    (use,) = steps_of(*rows)

    assert (use.data_s, use.forward_s) == (pytest.approx(11.0), pytest.approx(5.5))
    assert (use.checkpoint_s, use.other_s) == (0.4, pytest.approx(1.1))
    assert counting(table("steps", *rows)) == Counting(2, 16, 16)


def test_a_run_without_steps_has_none():
    assert steps_of() == ()
    assert counting(table("steps")) == Counting()
    assert parts_of_steps(table("steps")) == {}


def test_batches_are_no_steps():
    assert steps_of(full(3, 30, kind="batch")) == ()


def test_parts_that_nobody_saw_are_not_known():
    (use,) = steps_of(full(3, 30))

    assert set(use.parts.values()) == {None}
    assert use.total_s == 3e-8


def test_inference_trains_nothing():
    seen, unseen = steps_of(
        full(3, 30, 1, "inference"), part("forward", 20, 1, "inference"), full(3, 30, 2, "inference")
    )

    assert (seen.forward_s, seen.backward_s, seen.optimizer_s, seen.other_s) == (2e-8, 0.0, 0.0, 1e-8)
    assert (unseen.forward_s, unseen.backward_s, unseen.optimizer_s, unseen.other_s) == (None, 0.0, 0.0, None)


def test_steps_whose_times_are_not_known_are_counted():
    (use,) = steps_of(full(3, 0) | dict.fromkeys(("total_ns", "p50_ns", "p95_ns")))

    assert (use.count, use.mean_s, use.p50_s, use.total_s, use.other_s) == (3, None, None, None, None)


def test_a_checkpoint_inside_another_part_is_not_counted_twice():
    (use,) = steps_of(full(1, 10), part("data", 9), checkpoint(8))

    assert (use.data_s, use.checkpoint_s, use.other_s) == (9e-9, 1e-9, 0.0)


def test_parts_are_told_by_kind_and_name():
    rows = [full(4, 40), part("data", 12, count=4), part("data", 3, 2, part_name="load"), checkpoint(5)]

    found = parts_of_steps(table("steps", *rows))

    assert found == {("data", "data"): Sum(4, 12), ("data", "load"): Sum(1, 3)}


@given(NS, st.lists(NS, min_size=5, max_size=5), st.dictionaries(st.sampled_from(PARTS), NS))
def test_parts_and_other_sum_up_to_the_total(rest, noted_parts, counted_parts):
    # parts never overlap, but for checkpoints; where none are given, none were looked at
    counted_ns = rest + sum(ns for name, ns in counted_parts.items() if name != "checkpoint")
    rows = [full(3, rest + sum(noted_parts[:4])), checkpoint(noted_parts[4])]
    rows += [part(name, ns) for name, ns in zip(PARTS[:4], noted_parts, strict=False)]
    rows += [many(3, counted_ns, json.dumps({"parts_ns": counted_parts}))]

    (use,) = steps_of(*rows)

    assert all(seconds is not None and seconds >= 0 for seconds in use.parts.values())
    assert sum(seconds or 0.0 for seconds in use.parts.values()) == pytest.approx(use.total_s)


@given(LENGTHS, LENGTHS)
def test_noted_and_counted_steps_together_are_as_many_and_as_long(some, others):
    every = [*some, *others]
    whole, mixed = steps_of(*noted(every)), steps_of(*noted(some), *counted(others))

    assert len(whole) == len(mixed) == bool(every)
    for one, other in zip(whole, mixed, strict=True):
        assert replace(one, p50_s=None, p95_s=None) == replace(other, p50_s=None, p95_s=None)


@given(LENGTHS, LENGTHS.filter(bool))
def test_percentiles_lie_between_the_shortest_and_the_longest(some, others):
    (use,) = steps_of(*noted(some), *counted(others))

    ends = [bin_start(bin_of(one) + 1) for one in others]
    low, high = min(*some, *others, 10**12), max(*some, *ends, 0)
    assert use.p50_s is not None
    assert use.p95_s is not None
    assert min(low / 1.25, low - 320) <= use.p50_s * 1e9 <= use.p95_s * 1e9 <= high * (1 + 1e-9)


@given(
    st.text()
    | st.builds(
        json.dumps,
        st.dictionaries(
            st.sampled_from(["bins", "parts_ns"]),
            st.lists(st.lists(st.integers()))
            | st.dictionaries(st.sampled_from(PARTS), st.integers() | st.floats()),
        ),
    )
)
def test_hostile_attributes_never_raise(attributes):
    (use,) = steps_of(full(2, 20), many(3, 30, attributes))

    assert (use.count, use.total_s) == (5, 5e-8)
