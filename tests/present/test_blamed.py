from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.model.explanation import Blame
from longpole.present.blamed import per_thousand
from tests.present.explained import explained


def rows(text: str) -> list[str]:
    lines = text.splitlines()
    first = next(
        at for at, line in enumerate(lines) if "makespan went" in line or line.startswith(" Makespan")
    )
    return lines[first + 1 : first + lines[first:].index("")]


def shares(lines: list[str]) -> list[float]:
    return [float(line.rpartition(" % ")[0].split()[-1]) for line in lines]


def test_largest_eight_are_shown_and_the_rest_is_one_row():
    lines = rows(explained())

    assert len(lines) == 9
    assert lines[0].startswith(" train (exec)")
    assert lines[-1].split()[:2] == ["3", "others"]
    assert lines[-1].endswith("4.20 s")


def test_shares_sum_to_all():
    assert round(sum(shares(rows(explained()))), 6) == 100.0
    assert round(sum(shares(rows(explained(width=40)))), 6) == 100.0
    assert round(sum(shares(rows(explained(most_rows=None)))), 6) == 100.0


def test_waits_are_named_and_drawn_lighter():
    lines = rows(explained())

    [queue] = [line for line in lines if "in the queue" in line]
    assert "░" in queue
    assert "█" not in queue
    assert "nothing that is known of" in "".join(lines)


def test_ascii_has_marks_of_its_own():
    lines = rows(explained(encoding="ascii"))

    assert "##" in lines[0]
    assert ".." in next(line for line in lines if "in the queue" in line)


def test_one_left_over_is_another():
    blame = tuple(Blame(f"step {at}", "exec", 1.0) for at in range(9))

    assert rows(explained(blame=blame))[-1].split()[:2] == ["1", "other"]


def test_narrow_terminals_have_no_bars():
    text = "".join(rows(explained(width=40)))

    assert "█" not in text
    assert "train (exec)" in text


@given(st.lists(st.floats(0, 1e9), max_size=40))
def test_shares_are_near_and_sum_to_a_thousand(parts: list[float]) -> None:
    found, total = per_thousand(parts), sum(parts)

    if total > 0:
        assert sum(found) == 1000
        assert all(abs(1000 * part / total - share) <= 1 for part, share in zip(parts, found, strict=True))
    else:
        assert found == [0] * len(parts)
