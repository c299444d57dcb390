"""``longpole compare`` as a user types it, over runs made by hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import longpole
from longpole.app.group import run_command
from longpole.errors import NothingToCompareError, RunNotFoundError, UsageError
from tests.app.compared import command_run, workflow_run
from tests.builders import HandmadeRun
from tests.parts import need

NUMBER_OR_NULL = {"type": ["number", "null"]}
SCHEMA = {
    "type": "object",
    "required": ["schema_version", "by", "baseline", "decided_by", "confidence", "metrics", "doubts"],
    "properties": {
        "schema_version": {"const": 1},
        "metrics": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["metric", "groups", "differences", "drift"],
                "properties": {
                    "groups": {"items": {"required": ["group", "runs", "seconds", "mean_s", "sd_s"]}},
                    "differences": {
                        "items": {
                            "required": [
                                "group",
                                "ratio",
                                "low",
                                "high",
                                "p",
                                "p_corrected",
                                "shown",
                                "seen",
                            ],
                            "properties": {"ratio": NUMBER_OR_NULL, "shown": {"type": "boolean"}},
                        }
                    },
                },
            },
        },
    },
}
Compare = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs: 'same' is as quick as 'before', 'after' is slower by a fifth; 'wild' ones waver."""
    runs = tmp_path_factory.mktemp("runs")
    in_turns(runs, 0, 6, 0.01, before=10.0, same=10.0, after=12.0)
    in_turns(runs, 100, 6, 0.2, wild_one=10.0, wild_other=10.0)
    command_run(runs, 200, "failed", 1.0, exit_code=3)
    return runs


def in_turns(runs: Path, first: int, rounds: int, noise: float, **groups: float) -> None:
    """Make runs of commands in turns; each group is a name and how long its runs take."""
    drawn = np.random.default_rng(1)
    for at in range(rounds * len(groups)):
        name, seconds = list(groups.items())[at % len(groups)]
        command_run(runs, first + at, name, seconds * float(np.exp(noise * drawn.normal())))


@pytest.fixture
def compare(measured: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Compare:
    """A function that compares runs of a folder, and returns the exit code and what was written."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: str, runs: Path = measured) -> tuple[int, str]:
        code = run_command(["compare", *arguments, "--runs", str(runs)])
        return code, capsys.readouterr().out

    return call


def test_a_slow_down_is_shown_with_its_interval(compare: Compare) -> None:
    code, said = compare("before", "after")

    assert code == 0
    assert "before, after, by name" in said
    assert "'after' takes " in said
    assert "% more time end to end than 'before'" in said
    assert "confidence, in turns" in said
    assert "CPU time: 'after' " in said
    assert all(len(line) <= 80 for line in said.splitlines())


def test_equal_runs_show_no_difference_and_what_would_have_been_seen(compare: Compare) -> None:
    _, said = compare("before", "same")

    text = " ".join(said.split())
    assert "No difference is shown between 'same' and 'before' end to end" in text
    assert "would have been seen with 90 % probability" in text


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("before", "same"), 0, "The gate is open"),
        (("before", "same", "after"), 1, "The gate is closed: 'after' is slower by more than 5 %"),
        (("wild_one", "wild_other"), 3, "The gate cannot tell whether 'wild_other' is slower"),
        (("00000000", "00000001"), 3, "The gate cannot tell whether 'same' is slower"),
        (("before", "same", "failed"), 3, "The gate cannot tell whether 'failed' is slower"),
        (("before", "after", "failed"), 1, "The gate is closed: 'after' is slower"),
    ],
)
def test_a_gate_has_three_exit_codes(compare: Compare, words: tuple[str, ...], code: int, says: str) -> None:
    found, said = compare(*words, "--gate", "5%")

    assert says in " ".join(said.split())
    assert found == code


def test_json_has_every_run_and_a_version(compare: Compare) -> None:
    _, said = compare("before", "after", "--json", "--gate", "10%")

    found: dict[str, Any] = json.loads(said)
    jsonschema.validate(found, SCHEMA)
    assert found["metrics"][0]["groups"][1]["runs"] == [f"{at:08x}" for at in range(2, 18, 3)]
    assert found["metrics"][0]["differences"][0]["ratio"] == pytest.approx(1.2, rel=0.02)
    assert found["gate"]["state"] == "closed"
    assert [one["metric"] for one in found["metrics"]] == ["end_to_end", "cpu"]


def test_workflows_are_grouped_by_placement_and_show_where_time_went(
    tmp_path: Path, compare: Compare
) -> None:
    drawn = np.random.default_rng(2)
    for at in range(14):
        placement = ("clustering", "baseline")[at % 2]
        seconds = (8.0 if at % 2 == 0 else 10.0) * float(np.exp(0.02 * drawn.normal()))
        workflow_run(
            tmp_path, at, placement, seconds, series="tiles-1", series_round=at // 2 + 1, user=os.getuid()
        )

    _, said = compare(runs=tmp_path)

    text = " ".join(said.split())
    assert "tiles, by placement 14 runs against 'baseline'" in text
    assert "'clustering' takes" in text
    assert "% less time end to end than 'baseline'" in text
    assert "Compute: 'clustering' " in text
    assert "Stage in: 'clustering' " in text
    assert "Stage out: no difference shown." in text


def test_what_differs_besides_the_groups_is_told(tmp_path: Path, compare: Compare) -> None:
    for at in range(4):
        parameters = {"scale": "tiny" if at < 2 else "small", "variant": ("published", "tuned")[at % 2]}
        workflow_run(tmp_path, at, "links", 10.0 + at % 3, parameters=parameters)

    _, said = compare("tiles", "--by", "variant", runs=tmp_path)

    assert "The runs differ in scale, too (tiny, small)" in " ".join(said.split())
    assert "against 'published'" in said


def test_runs_that_did_not_end_well_are_left_out_and_named(compare: Compare) -> None:
    _, said = compare("before", "failed", "--by", "workflow")

    assert "run 000000c8 of 'none': it ended with exit code 3." in said
    assert " 6 runs" in said


def test_a_damaged_run_is_left_out(tmp_path: Path, compare: Compare) -> None:
    command_run(tmp_path, 1, "one", 1.0)
    command_run(tmp_path, 2, "one", 1.0).save(schema_version=99)

    _, said = compare("one", "00000002", "--by", "name", runs=tmp_path)

    assert "has version 99; this Longpole reads up to 1" in " ".join(said.split())


def test_no_group_stands_in_unsaid_for_a_baseline_whose_runs_all_failed(compare: Compare) -> None:
    with pytest.raises(NothingToCompareError, match="No run of 'failed', which others are compared with"):
        compare("failed", "before", "same", "--gate", "5%")

    with pytest.raises(NothingToCompareError, match=r"No run of 'failed', .*: it ended with exit code 3\."):
        compare("before", "failed", "--baseline", "failed")

    code, said = compare("failed", "before", "same", "--gate", "5%", "--baseline", "before")
    assert code == 3
    assert "The gate cannot tell whether 'failed' is slower" in " ".join(said.split())


def test_no_group_stands_in_unsaid_for_a_baseline_whose_runs_cannot_be_read(
    tmp_path: Path, compare: Compare
) -> None:
    in_turns(tmp_path, 0, 2, 0.01, before=10.0, after=10.0, later=10.0)
    for log in tmp_path.glob("*-before-*/log/*"):
        log.write_bytes(b"of something else")

    with pytest.raises(
        NothingToCompareError, match=r"No run of 'before', .* is not a log of Longpole"
    ) as said:
        compare("before", "after", "later", runs=tmp_path)

    assert said.value.exit_code == 3
    _, shown = compare("before", "after", "later", "--baseline", "later", runs=tmp_path)
    assert "against 'later'" in shown


def test_a_run_that_cannot_be_read_is_no_baseline_where_its_group_is_not_known(
    tmp_path: Path, compare: Compare
) -> None:
    for at in range(4):
        workflow_run(tmp_path, at, "links", 10.0, parameters={"solver": ("cg", "gmres")[at % 2]})
    for log in tmp_path.glob("*-00000000/log/*"):
        log.write_bytes(b"of something else")

    _, said = compare("tiles", "--by", "solver", runs=tmp_path)

    assert "run 00000000 of 'none'" in said
    assert "against 'cg'" in said


def test_a_run_that_never_began_makes_no_groups(tmp_path: Path, compare: Compare) -> None:
    for at in range(4):
        workflow_run(tmp_path, at, "links", 10.0).save(name=("before", "after")[at % 2])
    HandmadeRun(tmp_path, "0000ffff", name="after", joint=True, exit_code=130, makespan_s=None)

    _, said = compare("before", "after", runs=tmp_path)

    assert "by name" in said
    assert "run 0000ffff of 'after'" in said


@pytest.mark.parametrize("readable", [True, False])
def test_a_run_whose_group_is_not_known_leaves_the_gate_as_it_is(
    tmp_path: Path, compare: Compare, *, readable: bool
) -> None:
    for at in range(16):
        workflow_run(tmp_path, at, ("links", "clustering")[at % 2], 10.0 + at // 2 % 3 / 10, series="tiles-1")
    lost = HandmadeRun(tmp_path, "0000ffff", series="tiles-1", joint=True, exit_code=130, makespan_s=None)
    if not readable:
        (lost.path / "log" / "odd").write_bytes(b"of something else")

    code, said = compare("tiles-1", "--gate", "5%", runs=tmp_path)

    assert "run 0000ffff of 'none'" in said
    assert code == 0


def test_nothing_but_failed_runs_is_exit_code_3(compare: Compare) -> None:
    with pytest.raises(
        NothingToCompareError, match=r"Run 000000c8 cannot be compared: it ended with exit code 3\."
    ) as refused:
        compare("failed")

    assert refused.value.exit_code == 3


def test_another_baseline_and_another_time_can_decide(compare: Compare) -> None:
    _, said = compare("before", "after", "--baseline", "after", "--metric", "cpu")

    assert "'before' takes 1" in said
    assert "% less time of CPUs than 'after'" in " ".join(said.split())


def test_one_group_is_shown_without_a_comparison(compare: Compare) -> None:
    code, said = compare("before", "--gate", "5%")

    assert "There is one group, 'before': nothing to compare it with." in said
    assert code == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("before", "--baseline", "two"), "no group 'two' to compare with. There are before"),
        (("before", "--by", "colour"), "no 'colour' to be grouped by"),
        (("before", "--gate", "fast"), "--gate takes a share"),
        (("before", "--gate", "150%"), "--gate takes a share"),
        (("before", "--confidence", "20%"), "at least 50%"),
        (("before", "--metric", "compute", "--out", "figure.txt"), "must end in .svg"),
        (("before", "--metric", "stage_in"), "does not tell its time 'stage_in'"),
        (("no*", "before"), "No run 'no*'"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(
    compare: Compare, arguments: tuple[str, ...], says: str
) -> None:
    with pytest.raises((UsageError, RunNotFoundError)) as refused:
        compare(*arguments)

    assert says in str(refused.value)


def test_without_a_series_it_asks_which_runs(tmp_path: Path, compare: Compare) -> None:
    with pytest.raises(UsageError, match=r"Which runs\? .* --repeat 10"):
        compare(runs=tmp_path)


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_a_figure_is_written(tmp_path: Path, compare: Compare, form: str) -> None:
    need("matplotlib")
    begins = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}

    compare("before", "after", "--out", str(tmp_path / f"figure.{form}"))

    assert (tmp_path / f"figure.{form}").read_bytes().startswith(begins[form])


def test_python_compares_as_the_command_does(measured: Path) -> None:
    found = longpole.compare("before", "after", runs=str(measured))

    assert (found.baseline, found.by, found.interleaved) == ("before", "name", True)
    assert found.deciding.differences[0].shown
    with pytest.raises(UsageError, match="no time 'speed'"):
        longpole.compare("before", metric="speed", runs=str(measured))
