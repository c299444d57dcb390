"""The driver: what it writes into the manifest of its run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longpole.app.driving import note_state


def test_where_a_run_stands_is_put_into_its_manifest(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"id": "1", "state": "running"}')

    note_state(str(tmp_path), state="finished")

    assert json.loads((tmp_path / "run.json").read_text()) == {"id": "1", "state": "finished"}


@pytest.mark.parametrize("damaged", ["[]", "", "{", "7"])
def test_a_damaged_manifest_is_left_as_it_is(tmp_path: Path, damaged: str) -> None:
    (tmp_path / "run.json").write_text(damaged)

    note_state(str(tmp_path), state="finished")

    assert (tmp_path / "run.json").read_text() == damaged


def test_a_run_without_a_manifest_is_none_the_worse(tmp_path: Path) -> None:
    note_state(str(tmp_path), state="finished")

    assert list(tmp_path.iterdir()) == []
