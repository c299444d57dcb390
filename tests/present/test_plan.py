"""Plans as text: one screen that says what runs, in which order, and what moves."""

from __future__ import annotations

import pytest

from longpole.model.plan import Amount, Clustering, Grouping, Movement, Placement
from longpole.model.workflow import Resources
from tests.present.plans import kind, shown

NOTHING = Movement(Amount(0), Amount(0))


def row(text, name):
    [found] = [line for line in text.splitlines() if line.startswith(f" {name} ")]
    return found.split()


def test_a_plan_says_how_many_jobs_there_are():
    text = shown()

    assert "made" in text
    assert "2 tasks in 2 jobs on 2 levels, and 6 auxiliary jobs; each task is a job" in text
    assert row(text, "first") == ["first", "1", "1", "1", "0", "3-5"]
    assert "first → second" in text


def test_what_moves_is_told_with_its_size_where_that_is_known():
    text = shown()

    assert "1,234 files staged in, as the paper counts" in text
    assert "1,230 files (5 MB) copied to jobs, 8 transfers at a time." in text
    assert "4 files (of unknown size) sent back." in text


def test_where_nothing_moves_that_is_told():
    text = shown(placement=Placement.LINKS, brought=NOTHING, sent=NOTHING)

    assert "Nothing is copied." in text
    assert "sent back" not in text


def test_what_is_not_known_yet_is_told():
    late = kind("score", "cut", tasks=None, known_after={"tile": ("cut",)})

    text = shown(jobs=Amount(1, exact=False), types=(kind("cut", makes_many=True), late))

    assert "2 tasks in at least 1 job" in text
    assert row(text, "score")[:3] == ["score", "1", "?"]
    assert "any number" in text
    assert "score: needs the members of 'tile', known when 'cut' has run." in text
    assert "cut → score ×?" in text


def test_files_that_are_not_there_are_counted():
    text = " ".join(shown(outside_files=1200, missing_files=7).split())

    assert "7 of 1,200 files from outside are not there yet" in text


def test_columns_are_there_if_they_say_something():
    assert "GPUs" not in shown()
    text = shown(types=(kind("train", resources=Resources(cores=4, gpus=2)), kind("other")))
    assert row(text, "train") == ["train", "1", "1", "4", "2", "0", "0"]


def test_labels_are_shown_where_tasks_are_put_together_by_them():
    types = (kind("train", cluster="gpu"),)

    assert "gpu" not in shown(types=types)
    assert "gpu" in shown(types=types, clustering=Clustering(Grouping.LABEL))


@pytest.mark.parametrize(
    ("clustering", "words"),
    [
        (Clustering(Grouping.WHOLE), "all tasks are one job"),
        (Clustering(Grouping.HORIZONTAL, tasks=8), "8 tasks of a type in a job"),
        (Clustering(Grouping.HORIZONTAL, jobs=1), "tasks of a type in 1 job"),
        (Clustering(Grouping.HORIZONTAL, size_bytes=10**9), "up to 1 GB a job"),
    ],
)
def test_how_tasks_are_put_together_is_told(clustering, words):
    assert words in " ".join(shown(clustering=clustering).split())


def test_long_lists_are_cut_and_counted():
    types = tuple(kind(f"t{n}") for n in range(30))

    text = shown(types=types)

    assert "20 of 30 types of task shown; --all lists every one" in text
    assert "12 of 30 lines shown; --all lists every one" in text
    assert " t29 " in shown(types=types, everything=True)


def test_a_command_to_type_is_never_broken():
    command = "longpole run " + "very/" * 40 + "long --set scale=paper"

    assert command in shown(following=(command,))


def test_a_workflow_without_tasks_can_be_shown():
    assert "no level" in shown(types=(), levels=(), jobs=Amount(0), tasks=Amount(0))


def test_a_name_cannot_command_the_terminal():
    assert "\x1b" not in shown(types=(kind("a\x1b[2J"),), workflow="b\x1b[2J")


@pytest.mark.parametrize("width", [40, 60, 100])
def test_a_plan_fits_the_terminal(width):
    text = shown(width, types=tuple(kind(f"task_{n}", *([f"task_{n - 1}"] if n else [])) for n in range(12)))

    assert max(map(len, text.splitlines())) <= width
