from __future__ import annotations

import pytest
from rich.cells import cell_len

from longpole.model.overview import Trial
from tests.present.samples import shown, trial


def test_trials_are_a_table_in_their_order_with_a_summary():
    lines = shown(trials=(trial(0), trial(1, "pruned"), trial(2, "failed", steps=None))).splitlines()

    at = next(at for at, line in enumerate(lines) if "Trials of widths" in line)
    assert [line.split() for line in lines[at + 1 : at + 4]] == [
        ["0", "lr=0.01,", "width=64,", "norm=batch", "complete", "0.125", "2.00", "s", "120"],
        ["1", "lr=0.01,", "width=128,", "norm=batch", "pruned", "0.25", "2.00", "s", "120"],
        ["2", "lr=0.01,", "width=256,", "norm=batch", "failed", "-", "2.00", "s", "?"],
    ]
    assert lines[at + 4] == " 1 complete, 1 pruned, 1 failed; values from 0.125 to 0.25"


def test_trials_that_are_not_shown_are_counted():
    many = tuple(trial(number) for number in range(100))

    text = shown(trials=many)

    assert "8 of 100 trials shown; --all lists every one" in text
    assert "100 complete; values from 0.125 to 12.5" in text
    assert "\n 99  lr" in shown(trials=many, most_rows=None)


def test_trials_of_several_searches_say_which():
    text = shown(trials=(trial(0), trial(0, search="depths"), trial(0, search="")))

    assert " Trials  " in text
    assert "\n depths 0  lr" in text


def test_several_values_are_listed():
    assert " 0.25, 3 " in shown(trials=(trial(0, value=(0.25, 3.0)),))


def test_what_is_not_known_is_a_question_mark():
    unknown = Trial("", None, "", None, None, None, {})

    text = shown(trials=(unknown,))

    assert any(line.split() == ["?", "?", "-", "?", "?"] for line in text.splitlines())


def test_a_run_without_trials_has_no_table_of_them():
    assert "Trials" not in shown()


@pytest.mark.parametrize("width", [40, 50, 80, 100])
def test_no_line_is_wider_than_the_terminal(width):
    long = "a state that nobody expects " * 9
    value = tuple(float(at) for at in range(50))

    text = shown(width, trials=(trial(0, long, value=value, search=long), trial(1)))

    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_a_trial_from_a_stranger_cannot_steer_the_terminal():
    nasty = "\x1b[31mred\x07\r\nnext\u202e"

    text = shown(trials=(trial(0, nasty, search=nasty, params={nasty: nasty}),))

    assert not set("\x1b\x07\r\u202e") & set(text)
