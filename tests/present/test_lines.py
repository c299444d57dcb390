"""Lines of styled pieces: cut, broken and drawn by the columns that they take."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from longpole.present.lines import (
    Piece,
    Surface,
    clipped,
    drawn,
    fitted,
    is_terminal,
    padded,
    spread,
    surface_of,
    width_of,
    wrapped,
)

WIDE = st.text(st.characters(categories=("L", "N", "P", "S", "Zs", "Cc", "Mn")), max_size=60)


@given(WIDE, st.integers(2, 50))
def test_a_text_is_never_wider_than_it_may_be(text: str, width: int) -> None:
    assert cell_len(fitted(text, width)) <= width
    assert cell_len(padded(text, width)) == width
    assert all(cell_len(line) <= width for line in wrapped(text, width))


@given(st.lists(WIDE, max_size=4), st.integers(0, 50))
def test_a_line_is_clipped_to_its_width(texts: list[str], width: int) -> None:
    assert width_of(clipped(tuple(Piece(text) for text in texts), width)) <= width


def test_nothing_is_lost_when_a_text_is_broken() -> None:
    text = "xargs -rd '\\n' cat < scores.list > " + "long" * 20

    assert "".join(wrapped(text, 30)).replace(" ", "") == text.replace(" ", "")


def test_the_indentation_of_a_line_that_fits_is_kept() -> None:
    assert list(wrapped("    raise ValueError", 40)) == ["    raise ValueError"]


def test_a_terminal_is_never_sent_what_it_would_obey() -> None:
    assert "\x1b" not in fitted("tile\x1b[2J", 40) + "".join(wrapped("tile\x1b]0;x\x07" * 20, 30))


def test_the_right_text_stands_at_the_right() -> None:
    line = spread((Piece(" a long name of a workflow"),), (Piece("running 12 s "),), 30)

    assert drawn([line], Surface())[0].endswith("running 12 s")
    assert width_of(line) == 30


def test_colour_is_drawn_only_where_it_is_shown() -> None:
    line = (Piece("failed", "failure"), Piece("  ", "bar"))

    assert drawn([line], Surface(colour=True)) == ["\x1b[1;31mfailed\x1b[0m  "]
    assert drawn([line], Surface(colour=False)) == ["failed"]


def test_what_an_encoding_lacks_is_written_in_ascii() -> None:
    assert drawn([(Piece("tile… größe"),)], Surface(encoding="ascii")) == ["tile~ gr??e"]


@pytest.mark.parametrize(("given", "width"), [("33", 33), ("", 80), ("5", 20), ("900", 100), ("x", 80)])
def test_the_width_is_that_of_the_variable_within_reason(
    given: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", given)

    assert surface_of(io.StringIO()).width == width


def test_a_closed_stream_is_no_terminal() -> None:
    stream = io.StringIO()
    stream.close()

    assert not is_terminal(stream)
