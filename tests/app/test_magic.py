"""``%%record`` in a notebook that runs headless: its table is under the cell, which does what it did."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from longpole.app.magic import _parse
from longpole.errors import UsageError
from tests.parts import need


def executed(folder: Path, *cells: str) -> list[list[dict[str, Any]]]:
    """Execute a notebook of these cells; return the outputs of each."""
    need("nbclient", "jupyter")
    places = {"LONGPOLE_RUNS": str(folder / "runs"), "IPYTHONDIR": str(folder), "HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("notebook.py"))],
        input=json.dumps(cells),
        env={**os.environ, **places},
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
    )
    outputs: list[list[dict[str, Any]]] = json.loads(done.stdout)
    return outputs


def of_kind(outputs: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [output for output in outputs if output["output_type"] == kind]


def test_cell_is_run_as_it_is_and_its_table_is_shown(tmp_path: Path) -> None:
    work = """%%record sums
import longpole
with longpole.phase("adding"):
    total = sum(range(10**6))
print("done")
total"""

    _, outputs, after = executed(tmp_path, "%load_ext longpole", work, "total")

    assert of_kind(outputs, "stream")[0]["text"] == "done\n"
    [value] = of_kind(outputs, "execute_result")
    assert value["data"]["text/plain"] == "499999500000"
    [shown] = of_kind(outputs, "display_data")
    assert "<b>sums</b>" in shown["data"]["text/html"]
    assert "adding" in shown["data"]["text/html"]
    assert "adding" in shown["data"]["text/plain"]
    assert of_kind(after, "execute_result")[0]["data"]["text/plain"] == "499999500000"
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_cell_that_fails_fails_as_it_would_have(tmp_path: Path) -> None:
    _, outputs = executed(tmp_path, "%load_ext longpole", "%%record\nraise RuntimeError('as meant')")

    errors = of_kind(outputs, "error")
    assert {error["evalue"] for error in errors} == {"as meant"}
    assert "failed" in of_kind(outputs, "display_data")[0]["data"]["text/html"]


def test_wrong_use_gets_a_sentence(tmp_path: Path) -> None:
    _, outputs = executed(tmp_path, "%load_ext longpole", "%%record --what\n1")

    assert "cannot be understood" in of_kind(outputs, "error")[0]["evalue"]
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("line", "name", "options"),
    [
        ("", "cell", {}),
        ("fit --detail high", "fit", {"detail": "high"}),
        ("--runs='my runs' 'first fit'", "first fit", {"runs": "my runs"}),
    ],
)
def test_line_says_name_detail_and_folder(line: str, name: str, options: dict[str, str]) -> None:
    assert _parse(line) == (name, options)


@pytest.mark.parametrize("line", ["a b", "--detail", "-x"])
def test_line_that_is_none_is_refused(line: str) -> None:
    with pytest.raises(UsageError):
        _parse(line)
