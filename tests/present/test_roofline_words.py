from __future__ import annotations

from dataclasses import replace

import pytest

from longpole.analyse.roofline import roofline
from longpole.model.roofline import Direction, TargetLine, Way
from longpole.present.roofline_words import (
    bound,
    directions,
    efficiency,
    next_step,
    queue,
    sentences,
    title,
    wall,
    zone,
)
from tests.analyse.cases import bgw
from tests.present.rooflines import ALL, BGW_64, BGW_1024, COSMOFLOW, FIGURE_1, GPTUNE, LCLS


def test_the_bound_is_a_time_and_a_throughput() -> None:
    assert bound(LCLS) == (
        "Bound by the external link: it takes 16 min 40 s at least, "
        "so 6 tasks / 1,000 s = 0.006 tasks/s at most."
    )
    assert bound(FIGURE_1) == (
        "Bound by the network: it takes 10.0 s at least, so 1 task / 10 s = 0.1 tasks/s at most."
    )


def test_a_bound_that_rises_says_with_how_many_tasks() -> None:
    assert "1 min 45 s at least with 12 tasks at once, so 300 epochs / 105 s = 2.85 epochs/s" in bound(
        COSMOFLOW
    )


def test_tiny_throughputs_are_told_of_an_hour() -> None:
    assert "= 4.07 tasks/h at most" in bound(BGW_64)


def test_one_run_reaches_a_share_of_the_bound() -> None:
    assert efficiency(BGW_64) == "The run reaches 42 % of that."


def test_each_of_a_few_dots_is_held_against_its_own_ceiling() -> None:
    assert efficiency(LCLS) == (
        "'good day' reaches 98 % of that; 'bad day' reaches 98 % of the external link ceiling when contended."
    )


def test_dots_nobody_measured_would_reach_something_and_speedups_are_told() -> None:
    assert efficiency(GPTUNE) == (
        "'RCI' reaches 3.4 % of that; 'Spawn' reaches 8.3 % of that, 2.43 times as fast as RCI; "
        "'without Python' would reach 100 % of that, 11.9 times as fast as Spawn."
    )


def test_a_dot_above_its_ceiling_is_told_in_times() -> None:
    above = replace(BGW_64, dots=(replace(BGW_64.dots[0], efficiency=10.94),))

    assert efficiency(above) == "The run lies above that, 10.9 times as high."


def test_many_dots_are_told_together() -> None:
    assert efficiency(COSMOFLOW) == (
        "'12 instances' reaches 34 % of that; all 12 dots lie at 34 % to 35 % of their ceilings."
    )


def test_the_main_dot_is_the_one_that_is_named() -> None:
    other = replace(LCLS, main="bad day")

    assert "'bad day' has 1 h 25 min" in zone(other)


def test_without_a_dot_that_is_said() -> None:
    assert efficiency(FIGURE_1) == "No run of it was measured, so there is no dot."


def test_a_target_is_missed_by_so_much_and_can_or_cannot_be_reached() -> None:
    assert zone(LCLS) == (
        "The target of 10 min 00 s is missed: 'good day' has 17 min 04 s, 1.71 times as long. "
        "It cannot be reached under these ceilings."
    )


@pytest.mark.parametrize(
    ("reachable", "contended", "said"),
    [
        (True, True, "It can be reached under these ceilings."),
        (True, False, "It can be reached on a good day only, not when shared resources are contended."),
    ],
)
def test_a_target_may_be_reachable_on_good_days_only(reachable: bool, contended: bool, said: str) -> None:
    target = TargetLine("makespan", 1000.0, 0.006, 0.0012, reachable, contended)

    assert zone(replace(LCLS, targets=(target,))).endswith(said)


def test_a_target_that_is_met_says_by_how_much() -> None:
    target = TargetLine("throughput", None, 0.001, 0.0, True, True)

    assert zone(replace(LCLS, targets=(target,))) == (
        "The target of 0.001 tasks/s is met: 'good day' has 0.00586 tasks/s, 5.86 times as good."
    )


def test_a_throughput_that_says_the_same_as_the_makespan_is_not_told_again() -> None:
    said_twice = replace(LCLS, targets=tuple(replace(one, derived=False) for one in LCLS.targets))

    assert zone(said_twice) == zone(LCLS)


def test_without_targets_the_zone_is_what_bounds() -> None:
    assert zone(BGW_64).startswith("It is node-bound: what a task does on its own nodes holds it")
    assert zone(FIGURE_1).startswith("It is system-bound")


def test_the_wall_counts_tasks_and_nodes() -> None:
    assert wall(LCLS) == "74 tasks fit at once (2,388 nodes / 32); it ran 5, 5 could."
    assert wall(BGW_1024) == "1 task fits at once (1,792 nodes / 1,024); it ran 1, 1 could."
    assert wall(replace(FIGURE_1, could=None)) == "28 tasks fit at once (1,792 nodes / 64); it is to run 1."


def test_the_two_best_directions_are_told_with_what_they_gain_at_most() -> None:
    assert directions(LCLS) == (
        "First: Get a faster external link (up to 31.7 times). "
        "Then: Move each task up to the link (up to 1.02 times)."
    )
    assert directions(FIGURE_1) == "No direction that is known of gains 5 % or more."


def test_a_large_gain_is_readable() -> None:
    way = Direction(Way.UP, 1.0, 1, 1.0, "", "", "", "Do much.")

    assert "(up to 3,072 times)" in directions(replace(LCLS, directions=(replace(way, gain=3072.0),)))


def test_where_nodes_bound_the_classic_roofline_of_the_longest_task_comes_next() -> None:
    assert next_step(BGW_64).startswith("Next step: the classic roofline of Sigma")
    assert next_step(LCLS) == ""


def test_a_projection_is_said_first() -> None:
    said = sentences(replace(LCLS, projected=True))

    first, *others = sentences(LCLS)
    assert said == (f"Projected onto Cori Haswell: nothing was measured there. {first}", *others)


def test_time_in_a_queue_is_told_apart() -> None:
    assert (
        queue(replace(LCLS, queue_s=90.0)) == "It waited 1 min 30 s in a queue, which is in no makespan here."
    )
    assert queue(LCLS) == ""


def test_a_machine_in_the_name_is_not_named_twice() -> None:
    assert title(LCLS) == "LCLS on Cori Haswell"
    assert title(replace(LCLS, name="LCLS on Cori Haswell")) == "LCLS on Cori Haswell"


@pytest.mark.parametrize("name", ALL)
def test_what_is_said_is_five_sentences(name: str) -> None:
    said = sentences(ALL[name])

    assert len(said) == 5
    for sentence in said:
        assert sentence.endswith(".")
        assert "  " not in sentence
        assert ".." not in sentence
        assert " 1 tasks" not in sentence


def test_what_the_analysis_finds_is_told() -> None:
    said = sentences(roofline(bgw()))

    assert said[0].startswith("Bound by FLOPs: it takes 29 min 28 s at least with 1 task at once")
    assert said[1] == "The run reaches 42 % of that."
    assert "Next step: the classic roofline of S on one node." in said[-1]
