"""How commands of Snakemake are changed to be recorded, and when they are left as they are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.parts import need

need("snakemake")

from snakemake_logger_plugin_longpole.command_lines import in_words  # noqa: E402
from snakemake_logger_plugin_longpole.processes import recorded_call  # noqa: E402
from snakemake_logger_plugin_longpole.steps import starts_steps  # noqa: E402

TASK = "Snakemake:8:1"
JOB = f"cd /x && {sys.executable} -m snakemake --jobs 1 && touch done"


def test_snakemake_of_a_job_is_recorded_and_the_rest_is_not(tmp_path: Path) -> None:
    found = in_words(JOB, sys.executable, TASK, str(tmp_path))

    before, recorded, after = found.partition(f"{sys.executable} -I ")
    assert (before, bool(recorded)) == ("cd /x && ", True)
    assert f"--join {tmp_path} --task {TASK} " in after
    assert after.endswith(f" -- {sys.executable} -m snakemake --jobs 1 && touch done")
    assert '"' not in found  # it may be put between such


@pytest.mark.parametrize(
    ("command", "python", "task", "run"),
    [
        (JOB, sys.executable, "", "{run}"),
        (JOB, sys.executable, TASK, "{run}/absent"),
        (JOB, sys.executable, TASK, ""),
        ("python -m snakemake -j1", "python", TASK, "{run}"),
        (f"{JOB} {JOB}", sys.executable, TASK, "{run}"),
        (f"X={JOB[len('cd /x && ') :]}", sys.executable, TASK, "{run}"),
        ("true", sys.executable, TASK, "{run}"),
    ],
)
def test_what_is_not_as_expected_is_left_as_it_is(
    tmp_path: Path, command: str, python: str, task: str, run: str
) -> None:
    assert in_words(command, python, task, run.format(run=tmp_path)) == command


def test_run_whose_path_no_quotes_can_hold_is_left_out(tmp_path: Path) -> None:
    run = tmp_path / "a'b\"$c"
    run.mkdir()

    assert in_words(JOB, sys.executable, TASK, str(run)) == JOB


def test_shell_is_started_by_the_recorder_with_all_else_as_it_was(tmp_path: Path) -> None:
    options = {"shell": True, "executable": "/bin/bash", "env": {"A": "b"}, "stdout": 7, "close_fds": True}

    found = recorded_call(("set -e; true",), options, TASK, str(tmp_path))

    assert found is not None
    assert found[0][-4:] == ["--", "/bin/bash", "-c", "set -e; true"]
    assert found[1] == {"env": {"A": "b"}, "stdout": 7, "close_fds": True}


@pytest.mark.parametrize("options", [{}, {"shell": False}])
def test_what_is_no_command_of_a_shell_is_left_as_it_is(tmp_path: Path, options: dict[str, bool]) -> None:
    assert recorded_call((["true"],), options, TASK, str(tmp_path)) is None
    assert recorded_call(("true",), options, TASK, str(tmp_path)) is None


def test_only_a_recorded_job_of_slurm_has_its_steps_recorded() -> None:
    step = ["snakemake", "--executor", "slurm-jobstep", "--jobs", "1"]

    assert starts_steps(step, {"LONGPOLE_TASK": TASK})
    assert not starts_steps(step, {})
    assert not starts_steps(["snakemake", "--executor", "slurm"], {"LONGPOLE_TASK": TASK})
