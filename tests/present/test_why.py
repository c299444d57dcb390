"""Why a phase matters, as text."""

from __future__ import annotations

import pytest

from longpole.model.explanation import Blame, Why
from longpole.present.why import show_why
from tests.present.explained import written

WHY = Why(
    phase="load",
    kinds=("data",),
    count=3,
    total_s=9.0,
    longest_s=4.0,
    own_s=1.0,
    on_path_s=5.0,
    parts=(Blame("decode", "phase", 8.0),),
    within=("a phase with a very long name indeed", "epoch"),
    saved_if_gone_s=5.0,
    lost_if_twice_s=6.0,
    sentences=(
        "3 phases of that name took 9.00 s in all, the longest 4.00 s.",
        "5.00 s of that is on the critical path: 50 % of the makespan.",
    ),
)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_lines_that_go_on_are_set_in_like_the_first(width: int) -> None:
    found = written(lambda console: show_why(WHY, console), width, "utf-8")

    lines = [line for line in found.splitlines() if line]
    assert all(line.startswith(" ") and not line.startswith("   ") for line in lines)
    assert max(map(len, lines)) <= width
    assert "decode" in found
