"""The root module: what users import, and what that costs their programs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import longpole

HEAVY = {"click", "rich", "duckdb", "numpy", "msgspec", "dataclasses", "typing", "inspect", "re", "json"}


def test_public_names_are_there():
    assert all(hasattr(longpole, name) for name in longpole.__all__)
    assert callable(longpole.record)
    assert longpole.load.__module__ == longpole.Run.__module__ == "longpole.app.run"


def test_a_name_that_is_not_there_is_missed_as_usual():
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        _ = longpole.nosuch


def test_record_stays_a_function_whatever_is_imported_later():
    import longpole.record.options

    assert callable(longpole.record)


def test_importing_it_loads_nothing_heavy():
    script = "import longpole, sys; print(*sys.modules)"

    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True)

    assert HEAVY.isdisjoint(done.stdout.split())
