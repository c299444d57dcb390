"""Failures as text: the first one first, and nothing of them lost that helps."""

from __future__ import annotations

from dataclasses import replace

from longpole.present.failure import failure_lines, failure_sentence
from longpole.present.lines import Surface
from tests.present.standings import BROKEN, text_of


def test_a_failure_says_what_why_and_where_to_look() -> None:
    text = text_of(list(failure_lines([BROKEN], Surface())))

    assert text.splitlines() == [
        " Failed     score tile=7, attempt 2",
        "            It ended with exit code 3.",
        " Command    wc -c tiles/7.png",
        " Printed    no such tile",
        " Output     /runs/output/score.log",
        " Folder     /work/18.2",
        " Skipped    4 tasks that depend on it",
    ]


def test_what_is_not_known_of_a_failure_has_no_line() -> None:
    bare = replace(BROKEN, attempt=1, command="", output="", last_lines=(), folder="", skipped=0)

    assert text_of(list(failure_lines([bare], Surface()))).splitlines() == [
        " Failed     score tile=7",
        "            It ended with exit code 3.",
    ]


def test_beyond_five_failures_only_their_number_is_said() -> None:
    many = [replace(BROKEN, task=f"score tile={number}") for number in range(8)]
    text = text_of(list(failure_lines(many, Surface())))

    assert "tile=0" in text.splitlines()[0]
    assert ("tile=4," in text, "tile=5," in text) == (True, False)
    assert "and 3 more failures" in text


def test_control_characters_of_a_command_or_its_output_are_spelt_out() -> None:
    rude = replace(BROKEN, command="printf '\x1b[2J'\nexit 1", last_lines=("\x1b]0;hi\x07", "\ttab"))
    text = text_of(list(failure_lines([rude], Surface())))

    assert not any(letter in text for letter in "\x1b\x07\t")
    assert "\\x1b[2J" in text
    assert "            exit 1" in text


def test_a_path_is_never_broken() -> None:
    path = "/very/long" * 20

    assert path in text_of(list(failure_lines([replace(BROKEN, output=path)], Surface(40))), Surface(40))


def test_a_command_of_many_lines_is_cut() -> None:
    long = replace(BROKEN, command="\n".join(f"step {number}" for number in range(100)))
    text = text_of(list(failure_lines([long], Surface())))

    assert ("step 10" in text, "step 11" in text, "…" in text) == (True, False, True)


def test_a_failure_fits_on_one_line() -> None:
    assert failure_sentence(BROKEN) == "score tile=7, attempt 2: It ended with exit code 3."
