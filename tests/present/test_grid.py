from __future__ import annotations

from rich.cells import cell_len

from longpole.present.grid import Grid


def text(grid):
    return [line.plain for line in grid.lines()]


def test_a_flat_line_is_one_row_and_a_steep_one_has_no_gaps() -> None:
    flat, steep = Grid(6, 4, points=True), Grid(6, 4, points=True)

    flat.line(lambda _: 0.3, "")
    steep.line(lambda across: across**4, "")

    assert [bool(row.strip()) for row in text(flat)] == [False, False, True, False]
    assert all(row.strip() for row in text(steep))


def test_without_points_a_line_is_dashes_and_slashes() -> None:
    grid = Grid(8, 4, points=False)

    grid.line(lambda across: across, "")

    assert "".join(text(grid)).isascii()
    assert "/" in text(grid)[1]


def test_lines_end_where_asked_and_dots_leave_gaps() -> None:
    short, dotted = Grid(10, 1, points=False), Grid(10, 1, points=False)

    short.line(lambda _: 0.5, "", end=0.5)
    dotted.line(lambda _: 0.5, "", every=2)

    assert text(short) == ["-----     "]
    assert text(dotted) == ["- - - - - "]


def test_what_is_written_is_not_free_and_lines_are_only_if_asked() -> None:
    grid = Grid(10, 2, points=True)
    grid.line(lambda _: 0.1, "")
    grid.write(0, 2, "abc")

    assert not grid.free(0, 4, 2)
    assert grid.free(0, 5, 5)
    assert not grid.free(0, 5, 6)
    assert not grid.free(1, 0, 3)
    assert grid.free(1, 0, 3, over_lines=True)


def test_wide_letters_take_two_columns() -> None:
    grid = Grid(10, 1, points=True)

    grid.write(0, 1, "星系!")

    assert text(grid) == [" 星系!    "]
    assert cell_len(text(grid)[0]) == 10
