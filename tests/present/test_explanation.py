from __future__ import annotations

import pytest
from rich.cells import cell_len

from longpole.model.explanation import Blame, Finding, PathPart, Questions
from longpole.present.explanation import show_explanation
from tests.present.explained import FULL, LINE, UNKNOWN, explained, written

NASTY = "evil\x1b[2J\nname"


def test_answers_come_before_what_they_rest_on():
    text = explained()

    titles = ("galaxy", "Which steps", "Findings", "Where the makespan went", "Critical path", "Structure")
    places = [text.index(title) for title in titles]
    assert places == sorted(places)


def test_headline_tells_how_long_and_how_parallel():
    head, facts = explained().splitlines()[1:3]

    assert head.split() == ["galaxy", "took", "2", "min", "21", "s"]
    assert facts.startswith(" 27 tasks, 3.35 at once on average, 8 at most")


def test_three_questions_are_answered():
    text = " ".join(explained().split())

    assert "Which steps have the biggest impact? train makes up 52 %" in text
    assert "What would more or faster resources change? Steps of train" in text
    assert "Are the expensive resources used well? The GPU was busy" in text


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_no_line_is_wider_than_the_terminal(width: int, encoding: str) -> None:
    text = written(lambda console: show_explanation(FULL, console, timeline=LINE), width, encoding)

    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "?" not in text.replace("impact?", "").replace("change?", "").replace("well?", "")


def test_what_is_not_known_is_said_and_never_none():
    text = written(lambda console: show_explanation(UNKNOWN, console), 80, "utf-8")

    assert "None" not in text.replace("None that is known of", "")
    assert "took an unknown time" in text
    assert "how many at once is not known" in text
    assert "Where the makespan went is not known" in text
    assert "The run was not replayed" in text
    assert text.count("Nothing can be said: see the limits.") == 3


def test_text_of_a_run_cannot_move_the_cursor():
    finding = Finding(NASTY, NASTY, NASTY, 5.0, 4.0, 6.0, (NASTY,), NASTY, NASTY)
    text = explained(
        name=NASTY,
        run=NASTY,
        told_by=(NASTY,),
        limits=(NASTY,),
        findings=(finding,),
        questions=Questions(NASTY, NASTY, NASTY),
        blame=(Blame(NASTY, NASTY, 1.0),),
        path=(PathPart(NASTY, NASTY, 0.0, 1.0),),
    )

    assert "\x1b" not in text
    assert r"evil\x1b[2J" in text


def test_everything_is_shown_on_demand():
    text = explained(most_rows=None, findings=tuple(FULL.findings[:1]) * 7)

    assert "shown" not in text
    assert "more" not in text.partition("Critical path")[2].partition("Structure")[0]
    assert " 7  Training waits" in text


def test_limits_say_how_many_there_are():
    assert "3 of 5 shown; --all tells the rest." in explained(limits=tuple("abcde"))
    assert "None that is known of." in explained(limits=())


def test_time_line_is_drawn_where_it_is_given():
    text = written(lambda console: show_explanation(FULL, console, timeline=LINE), 80, "utf-8")

    assert "Over time" in text
    assert "Over time" not in explained()
