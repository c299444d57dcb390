"""The campaign at the scale of the paper, with a small part at scale tiny: stopped in time, resumed, told."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.paper_scale import Part, part_of
from tests.parts import need
from tests.workflows.modules import WORKFLOWS

SMALL = "lung:tuned:10:trials=1:epochs=1:limit=30"


def campaign(folder: Path, seconds: int) -> subprocess.CompletedProcess[str]:
    told = ["--scale", "tiny", "--folder", str(folder), "--seconds", str(seconds), SMALL]
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.paper_scale", *told],
        cwd=WORKFLOWS.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_part_is_a_workflow_a_variant_a_seed_and_parameters() -> None:
    assert part_of("galaxy:tuned:11") == Part("galaxy", "tuned", 11)
    assert part_of(SMALL) == Part("lung", "tuned", 10, ("trials=1", "epochs=1", "limit=30"))
    assert part_of(SMALL).name == "lung-tuned-10-trials1-epochs1-limit30"


@pytest.mark.parametrize(
    "odd", ["lung", "heart:tuned:1", "lung:slow:1", "lung:tuned:x", "lung:tuned:1:trials"]
)
def test_what_is_no_part_is_refused(odd: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is no "):
        part_of(odd)


@pytest.mark.timeout(600)
def test_a_part_is_stopped_in_time_resumed_and_told(tmp_path: Path) -> None:
    need("torch", "optuna", "matplotlib", "pillow")
    nothing = campaign(tmp_path, 0)
    begun = campaign(tmp_path, 6)
    done = campaign(tmp_path, 500)

    assert (nothing.returncode, "not begun" in nothing.stdout) == (1, True), nothing.stderr
    assert begun.returncode in (0, 1), begun.stderr
    assert done.returncode == 0, done.stderr
    [told] = json.loads((tmp_path / "report.json").read_text())
    assert (told["state"], told["status"]["tasks"]["ran"]) == ("finished", 7)
    assert told["operations"][-1]["flops"] > 0
    assert "| train " in done.stdout
    assert "U-Net" in done.stdout
