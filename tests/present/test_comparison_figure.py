from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longpole.errors import UsageError
from longpole.present.comparison_figure import comparison_figure, write_comparison
from tests.parts import need
from tests.present.comparisons import ALL, COMMAND, COMMANDS, PLACEMENTS, WORKFLOW, comparison
from tests.present.drawn import drawn, in_the_way, texts


@pytest.mark.parametrize("name", ALL)
def test_no_text_lies_on_another_or_beyond_the_edge(name: str) -> None:
    need("matplotlib")

    assert in_the_way(drawn(comparison_figure, ALL[name])) == ([], [])


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seconds=st.dictionaries(
        st.text("abc XYZ-", min_size=1, max_size=40).map(lambda name: f"{name}."),
        st.floats(1e-3, 1e5),
        min_size=1,
        max_size=9,
    ),
    metrics=st.sampled_from([WORKFLOW, COMMAND]),
    runs=st.integers(1, 7),
)
def test_no_text_of_any_comparison_lies_on_another(seconds: dict[str, float], metrics, runs: int) -> None:
    need("matplotlib")

    assert in_the_way(drawn(comparison_figure, comparison(seconds, runs, metrics))) == ([], [])


def test_a_workflow_has_the_three_panels_of_the_paper_and_a_command_two() -> None:
    need("matplotlib")

    titles = [axes.get_title("left") for axes in drawn(comparison_figure, PLACEMENTS).axes]
    of_command = [axes.get_title("left") for axes in drawn(comparison_figure, COMMANDS).axes]

    assert titles == ["cumulative compute time", "cumulative staging time", "end to end"]
    assert of_command == ["CPU time", "end to end"]


def test_every_run_is_a_dot_and_every_mean_a_bar_with_its_deviation() -> None:
    need("matplotlib")
    end_to_end = PLACEMENTS.deciding

    axes = drawn(comparison_figure, PLACEMENTS).axes[-1]

    dots = [point for line in axes.lines if line.get_marker() == "o" for point in line.get_xdata()]
    assert sorted(dots) == sorted(second for times in end_to_end.groups for second in times.seconds)
    assert [bar.get_width() for bar in axes.patches] == [times.mean_s for times in end_to_end.groups]


def test_what_is_shown_is_told_beside_its_bar() -> None:
    need("matplotlib")

    found = texts(drawn(comparison_figure, COMMANDS))

    weights = [one.get_fontweight() for one in found if one.get_text().startswith("+")]
    assert weights == ["bold", "bold"]


def test_same_comparison_gives_the_same_bytes(tmp_path: Path) -> None:
    need("matplotlib")

    write_comparison(COMMANDS, tmp_path / "first.svg")
    write_comparison(COMMANDS, tmp_path / "second.svg")

    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must end in"):
        write_comparison(COMMANDS, tmp_path / "figure.gif")
