"""Where a run stands, as text: while it goes, at its end, and on one line."""

from __future__ import annotations

import pytest

from longpole.model.standing import DriverSession, Pace, Results, RunningTask, RunState, TypeStanding
from longpole.present.lines import Surface, width_of
from longpole.present.standing import live_lines, progress_sentence, standing_lines
from tests.present.standings import BROKEN, CUT, SCORE, TOTAL, UNKNOWN, ended, standing, text_of

NEXT = ("longpole explain 0badcafe",)
LONG = RunningTask("score tile=12", 1, 75.0)
NEW = RunningTask("score tile=13", 1, None)


def test_a_run_that_goes_on_in_one_glance() -> None:
    lines = text_of(live_lines(standing(running=(LONG, NEW), pace=Pace(18.2, 16.0)), Surface())).splitlines()

    assert lines[0] == " tiles  links" + " " * 43 + "2 jobs on 2 cores, 12 s"
    assert lines[1].endswith("214 of 502 tasks, 18/s, at least 16 s left")
    assert " Longest    score tile=12  1 min 15 s" in lines
    assert "tile=13" not in lines[-1]


def test_remaining_time_is_said_to_be_about_only_if_all_types_were_seen() -> None:
    assert "about 16 s left" in progress_sentence(standing(pace=Pace(18.2, 16.0, whole=True)))
    assert "left" not in progress_sentence(standing(pace=Pace(18.2)))


def test_no_bar_of_all_tasks_while_their_number_is_not_known() -> None:
    lines = text_of(live_lines(standing(types=(CUT, UNKNOWN)), Surface())).splitlines()

    assert lines[1] == " 1 of 1 task known so far"


def test_the_first_failure_is_said_while_others_go_on() -> None:
    text = text_of(live_lines(standing(failures=(BROKEN,)), Surface()))

    assert text.splitlines()[-1] == " Failed     score tile=7, attempt 2: It ended with exit code 3."


def test_who_asked_to_stop_is_told_what_happens() -> None:
    assert text_of(live_lines(standing(), Surface(), "stopping 2 jobs")).endswith(" stopping 2 jobs")


@pytest.mark.parametrize(("width", "height"), [(20, 4), (40, 10), (80, 24), (100, 60)])
@pytest.mark.parametrize("types", [1, 30, 200])
def test_what_is_drawn_again_fits_on_the_terminal(width: int, height: int, types: int) -> None:
    every = tuple(TypeStanding(f"type {number}", 9, ran=number % 9) for number in range(types))
    full = standing(types=every, running=(LONG,) * 9, failures=(BROKEN,), pace=Pace(18.2, 16.0))
    lines = live_lines(full, Surface(width, height), "stopping 2 jobs; press Ctrl-C again")

    assert len(lines) < height
    assert width < 40 or all(width_of(line) <= width for line in lines)


def test_a_run_that_went_well() -> None:
    assert text_of(standing_lines(ended(), NEXT, Surface())).splitlines() == [
        " tiles" + " " * 55 + "finished in 12.3 s",
        " 502 tasks: 499 ran, 3 cached; placement links, run 0badcafe",
        "",
        " Tasks" + " " * 58 + "   done  cached",
        " cut  " + " " * 58 + "    1/1",
        " score" + " " * 58 + "500/500       3",
        " total" + " " * 58 + "    1/1",
        "",
        " Results    1 file, 4.2 kB, in /data/results",
        " Next       longpole explain 0badcafe",
    ]


def test_a_failure_comes_before_all_that_went_well() -> None:
    failed = ended(state=RunState.FAILED, failures=(BROKEN,))
    text = text_of(standing_lines(failed, NEXT, Surface()))

    assert "failed after 12.3 s" in text.splitlines()[0]
    assert text.index("Failed     score") < text.index("Tasks")


def test_attempts_beyond_the_first_are_mentioned() -> None:
    again = ended(types=(TypeStanding("score", 9, ran=9, tried_again=2),))

    assert " Attempts   2 tasks needed more than one" in text_of(standing_lines(again, NEXT, Surface()))
    assert "Attempts" not in text_of(standing_lines(ended(), NEXT, Surface()))


def test_drivers_are_listed_if_there_was_more_than_one() -> None:
    first = DriverSession("2026-01-31T12:00:00.000Z", "node", 11, 4.0, ended=False)
    second = DriverSession("2026-01-31T12:05:00.000Z", "node", 12, 8.0, ended=True)
    text = text_of(standing_lines(ended(sessions=(first, second)), NEXT, Surface()))

    assert " Drivers    began 2026-01-31 12:00:00 UTC, 4.00 s, killed" in text
    assert "            resumed 2026-01-31 12:05:00 UTC, 8.00 s\n" in text
    assert "Drivers" not in text_of(standing_lines(ended(sessions=(second,)), NEXT, Surface()))


def test_results_have_lines_of_their_own_where_they_are_wide() -> None:
    wide = ended(results=Results("/data/" + "deep/" * 20, 3, 10))
    text = text_of(standing_lines(wide, NEXT, Surface()))

    assert "Results    3 files, 10 B,\n            /data/deep" in text


def test_long_lists_are_cut_unless_everything_is_asked_for() -> None:
    many = ended(types=tuple(TypeStanding(f"type {number}", 1, ran=1) for number in range(50)))

    assert "and 30 more types" in text_of(standing_lines(many, NEXT, Surface()))
    assert "more types" not in text_of(standing_lines(many, NEXT, Surface(), most=None))


def test_what_runs_is_listed_with_its_attempt() -> None:
    again = RunningTask("score tile=1", 2, 5.0)
    text = text_of(standing_lines(standing(running=(again, *(LONG,) * 9)), NEXT, Surface()))

    assert " Running    score tile=1, attempt 2  5 s" in text
    assert "and 2 more" in text
    assert "running for 12.3 s" in text


def test_how_far_a_run_is_fits_on_one_line() -> None:
    assert progress_sentence(standing()) == "12 s: 214 of 502 tasks done, 2 running"
    unknown = standing(types=(CUT, SCORE, TOTAL, UNKNOWN))
    assert progress_sentence(unknown) == "12 s: 214 of 502 tasks known so far done, 2 running"
