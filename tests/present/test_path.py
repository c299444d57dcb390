from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.model.explanation import PathPart
from longpole.present.path import merged
from tests.present.explained import explained


def rows(text: str) -> list[list[str]]:
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith(" Critical path"))
    return [line.split() for line in lines[first + 1 : first + lines[first:].index("")]]


def test_first_last_and_longest_are_kept_in_the_order_of_time():
    found = rows(explained())

    assert found[0] == ["fetch", "(stage_in)", "0", "s", "5.00", "s"]
    assert found[1][:4] == ["3", "×", "prepare", "(exec)"]
    assert found[-1][:2] == ["evaluate", "(exec)"]
    assert ["2", "more", "3.50", "s"] in found


def test_one_part_alone_is_not_counted_but_shown():
    found = rows(explained())

    assert not any(row[:2] == ["1", "more"] for row in found)
    assert any(row[0] == "prepare," for row in found)


def test_all_parts_are_shown_on_demand():
    assert len(rows(explained(most_rows=None))) == 11


def test_run_without_a_path_has_no_such_table():
    assert "Critical path" not in explained(path=())


def test_neighbours_of_one_name_are_one_part():
    path = (
        PathPart("a", "exec", 0.0, 1.0),
        PathPart("a", "exec", 1.0, 2.0, 3),
        PathPart("b", "exec", 3.0, 1.0),
    )

    assert merged(path) == [PathPart("a", "exec", 0.0, 3.0, 4), PathPart("b", "exec", 3.0, 1.0)]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 50)), min_size=1, max_size=40))
def test_all_parts_are_shown_or_counted(steps: list[tuple[str, int]]) -> None:
    path, at = [], 0
    for name, seconds in steps:
        path.append(PathPart(name, "phase", float(at), float(seconds)))
        at += seconds

    found = rows(explained(path=tuple(path)))

    gaps = [int(row[0]) for row in found if row[1] == "more"]
    assert len(found) - len(gaps) + sum(gaps) == len(merged(tuple(path)))
    assert found[0][-1] == "s"
    assert "more" not in (found[0][1], found[-1][1])


def test_what_is_within_a_long_part_is_set_in_below_it():
    inner = (PathPart("step", "step", 1.0, 60.0, 6), PathPart("load", "data", 1.0, 30.0, 6))
    path = (PathPart("python", "process", 0.0, 100.0, parts=(*inner, PathPart("tiny", "phase", 2.0, 1.0))),)

    found = explained(path=path)

    assert rows(found)[0][:2] == ["python", "(process)"]
    assert "    6 × step" in found
    assert "    6 × load (data)" in found
    assert "tiny" not in found
