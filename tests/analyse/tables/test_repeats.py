"""Which runs are repeats of each other, and which of them are left out."""

from __future__ import annotations

from typing import Any

from longpole.analyse.tables.repeats import doubts, repeats_of
from tests.analyse.tables.results import result


def test_runs_of_one_workflow_placement_and_parameters_are_repeats():
    groups = repeats_of([result("a"), result("b", "clustering"), result("c"), result("d", "clustering")])

    assert [(group.label, [one.times.run for one in group.runs]) for group in groups] == [
        ("galaxy, baseline", ["a", "c"]),
        ("galaxy, clustering", ["b", "d"]),
    ]


def test_parameters_that_differ_tell_settings_apart_and_those_alike_are_not_said():
    tuned, plain = {"scale": "tiny", "variant": "tuned"}, {"scale": "tiny", "variant": "published"}

    groups = repeats_of([result("a", parameters=plain), result("b", parameters=tuned)])

    assert [group.label for group in groups] == [
        "galaxy, baseline, variant=published",
        "galaxy, baseline, variant=tuned",
    ]
    assert groups[1].inner_label == "baseline, variant=tuned"


def test_commands_of_one_name_are_repeats_only_if_their_command_lines_are_alike():
    plain: dict[str, Any] = {"workflow": "", "placement": "", "parameters": {}, "name": "python"}
    same, other = ({**plain, "command": f"python {name}.py"} for name in ("a", "b"))

    groups = repeats_of([result("1", **same), result("2", **same), result("3", **other)])

    assert [(group.label, group.n) for group in groups] == [("python a.py", 2), ("python b.py", 1)]


def test_imports_of_one_name_without_a_command_line_are_repeats():
    plain: dict[str, Any] = {"workflow": "", "placement": "", "parameters": {}, "name": "montage"}

    [group] = repeats_of([result("1", **plain), result("2", **plain)])

    assert (group.label, group.n) == ("montage", 2)


def test_a_repeat_that_failed_or_was_cached_is_left_out_and_said():
    bad, cached = result("b", trouble="2 jobs failed"), result("c", cached=3, tasks=1)

    [group] = repeats_of([result("a"), bad, cached])

    assert [one.times.run for one in group.runs] == ["a"]
    assert list(doubts([group])) == [
        "Run b of galaxy, baseline is left out: 2 jobs failed.",
        "Run c of galaxy, baseline is left out: 3 of 4 tasks did not run, since what they make was there.",
    ]


def test_a_run_that_failed_counts_if_there_is_no_other_and_that_is_said():
    [group] = repeats_of([result("b", trouble="it still runs")])

    assert (group.n, group.left_out) == (1, ())
    assert list(doubts([group])) == ["Run b of galaxy, baseline is no good sample: it still runs."]


def test_a_run_that_was_resumed_counts_and_that_is_said():
    [group] = repeats_of([result("a", drivers=2)])

    assert list(doubts([group])) == [
        "Run a of galaxy, baseline was resumed: 2 drivers, with time in between."
    ]
