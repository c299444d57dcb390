from __future__ import annotations

from dataclasses import replace

from longpole.analyse.comparison import compare
from longpole.analyse.comparison_doubts import doubts
from longpole.model.comparison import ComparedRun, Metric
from tests.analyse.noise import compared

SERIES = [compared("ab"[at % 2], 10.0 + at % 3 / 10, at=at) for at in range(12)]


def said_of(runs: list[ComparedRun]) -> str:
    return " ".join(doubts(runs, compare(runs, ["a", "b"], [Metric.END_TO_END])))


def test_a_clean_series_raises_no_doubt() -> None:
    assert said_of(SERIES) == ""


def test_other_machines_and_other_settings_are_told() -> None:
    other = [
        replace(run, machine="moon" if at < 3 else "node", settings={"scale": "tiny" if at < 5 else "small"})
        for at, run in enumerate(SERIES)
    ]

    said = said_of(other)

    assert "2 machines (moon, node)" in said
    assert "differ in scale, too (tiny, small)" in said


def test_a_parameter_that_some_runs_do_not_have_is_told() -> None:
    assert "seed, too (not set, 3)" in said_of([*SERIES[:-1], replace(SERIES[-1], settings={"seed": "3"})])


def test_groups_that_were_measured_one_after_the_other_are_told() -> None:
    apart = sorted(SERIES, key=lambda run: run.group)
    moved = [replace(run, began_s=1000.0 * at) for at, run in enumerate(apart)]

    assert "not measured in turns" in said_of(moved)
    assert "is not known" in said_of([replace(run, began_s=None) for run in SERIES])


def test_runs_that_went_on_at_the_same_time_are_counted() -> None:
    """The third begins while the second goes on; the first has just ended then."""
    close = [replace(run, began_s=began) for run, began in zip(SERIES, (0.0, 10.2, 15.0), strict=False)]

    assert "2 runs of 12 went on while another did" in said_of([*close, *SERIES[3:]])


def test_runs_on_other_machines_do_not_get_in_each_others_way() -> None:
    close = [replace(run, began_s=0.0, machine=run.run) for run in SERIES]

    assert "while another did" not in said_of(close)


def test_tasks_from_before_and_second_tries_are_told() -> None:
    said = said_of([replace(SERIES[0], cached=3), replace(SERIES[1], retries=1), *SERIES[2:]])

    assert "1 run of 12 took results of tasks that had been made before" in said
    assert "In 1 run of 12 tasks had to be tried again" in said


def test_means_that_a_single_run_makes_are_told() -> None:
    long = [compared("ab"[at % 2], 10.0 + at % 3 / 10, at=at) for at in range(24)]
    wild = [*long[:-1], replace(long[-1], seconds={Metric.END_TO_END: 40.0})]

    assert said_of(long) == ""
    assert "By their means 'b' and 'a' differ by +24" in said_of(wild)
    assert "a few runs far off" in said_of(wild)
