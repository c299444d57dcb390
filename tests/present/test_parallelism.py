from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.model.timeline import Level, Timeline
from longpole.present.parallelism import HEIGHT, chart_lines, means

STAIRS = (Level(0.0, 4), Level(2.0, 2), Level(4.0, 1), Level(6.0, 0))


def test_chart_is_as_high_as_the_most():
    lines = chart_lines(Timeline((), 8.0, STAIRS, peak=4, mean=2.3), 8, blocks=True)

    assert lines == ["██      ", "██      ", "████    ", "██████  "]


def test_ascii_draws_with_a_mark_of_its_own():
    lines = chart_lines(Timeline((), 8.0, STAIRS, peak=4), 8, blocks=False)

    assert lines[-1] == "######  "


def test_least_that_ran_is_seen():
    profile = (Level(0.0, 100), Level(1.0, 0.1), Level(8.0, 0))

    assert chart_lines(Timeline((), 8.0, profile, peak=100), 8, blocks=True)[-1] == "█▁▁▁▁▁▁▁"


def test_nothing_that_ran_is_an_empty_chart():
    assert chart_lines(Timeline((), 8.0), 8, blocks=True) == [" " * 8] * HEIGHT


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(0, 50)), max_size=30), st.integers(1, 90))
def test_means_keep_the_area(levels: list[tuple[float, int]], columns: int) -> None:
    profile = (Level(0.0, 0), *(Level(at, running) for at, running in sorted(levels)))
    ends = [level.at_s for level in profile[1:]] + [100.0]
    area = sum(level.running * (end - level.at_s) for level, end in zip(profile, ends, strict=True))

    assert sum(means(profile, 100.0, columns)) * 100.0 / columns == pytest.approx(area, abs=1e-6)
