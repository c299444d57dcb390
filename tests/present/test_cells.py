from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.model.timeline import Bar, Piece
from longpole.present.cells import ASCII, COLOUR, PLAIN, Chart, Look, drawn_row
from tests.present.explained import bar


def drawn(bars: tuple[Bar, ...], critical: tuple[tuple[float, float], ...] = (), look: Look = COLOUR) -> str:
    return drawn_row(bars, [Piece(0, *span) for span in critical], Chart(10.0, 10, look)).plain


def test_bars_end_to_an_eighth():
    assert drawn((bar(0, 5),)) == "█████     "
    assert drawn((bar(0, 2.5),)) == "██▌       "
    assert drawn((bar(1, 2.125),)) == " █▏       "


def test_bars_begin_to_a_half():
    assert drawn((bar(1.5, 4),)) == " ▐██      "
    assert drawn((bar(1.9, 4),)) == " ▕██      "


def test_long_bars_that_meet_are_two():
    assert drawn((bar(0, 5), bar(5, 10))) == "████▉█████"
    assert drawn((bar(0, 5), bar(5, 10)), look=ASCII) == "##########"


def test_short_bars_become_a_shade():
    assert drawn(tuple(bar(at / 4, at / 4 + 0.125) for at in range(16))) == "▒▒▒▒      "


def test_shortest_bar_is_seen():
    assert drawn((bar(3, 3),)) == "   ▏      "
    assert drawn((bar(10, 10),)) == "         ▕"
    assert drawn((bar(3, 3),), look=ASCII) == "   #      "


def test_critical_path_has_a_style_and_without_colour_a_mark():
    row = drawn_row((bar(0, 6),), [Piece(0, 2.0, 4.0)], Chart(10.0, 10, COLOUR))

    assert [str(span.style) for span in row.spans] == ["bar"] * 2 + ["critical"] * 2 + ["bar"] * 2
    assert drawn((bar(0, 6),), ((2.0, 4.0),), PLAIN) == "▒▒██▒▒    "
    assert drawn((bar(0, 6),), ((2.0, 4.0),), ASCII) == "##**##    "


def test_waits_on_the_path_are_a_line():
    assert drawn((bar(4, 8),), ((1.0, 8.0),)) == " ───████  "
    assert drawn((bar(4, 8),), ((1.0, 8.0),), ASCII) == " ---****  "


def test_what_did_not_end_well_is_marked_where_it_ends():
    assert drawn((bar(0, 3, "failed"), bar(5, 9, "unfinished"))) == "██×  ███> "
    assert drawn((bar(0, 3, "failed"),), look=ASCII) == "##x       "


@given(
    st.lists(st.tuples(st.floats(0, 10), st.floats(0, 10)), max_size=12),
    st.sampled_from([COLOUR, PLAIN, ASCII]),
)
def test_every_bar_leaves_a_mark_and_none_is_outside(spans: list[tuple[float, float]], look: Look) -> None:
    bars = [bar(min(span), max(span)) for span in spans]

    row = drawn_row(bars, [], Chart(10.0, 24, look)).plain

    assert len(row) == 24
    assert bool(row.strip()) == bool(bars)
