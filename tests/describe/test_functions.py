"""Functions by name: found where they are called, in any process, and not imported before."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import pytest

from longpole.describe.functions import NamedFunction, named
from longpole.model.workflow import WorkflowError


def test_a_function_is_imported_when_it_is_called_and_in_another_process_too(tmp_path):
    (tmp_path / "steps_a.py").write_text(
        "class Maker:\n    @staticmethod\n    def twice(x):\n        return 2 * x\n"
    )
    function = NamedFunction(str(tmp_path), "steps_a", "Maker.twice")
    (tmp_path / "call").write_bytes(pickle.dumps(function))

    code = f"import pickle; print(pickle.load(open({str(tmp_path / 'call')!r}, 'rb'))(21))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "steps_a" not in sys.modules
    assert done.stdout == "42\n"


def test_what_is_not_there_is_told(tmp_path):
    (tmp_path / "steps_b.py").write_text("x = 3\n")

    for name in ("nosuch:f", "steps_b:f", "steps_b:x"):
        module, function = name.split(":")
        with pytest.raises(WorkflowError, match=name):
            NamedFunction(str(tmp_path), module, function)()


def test_a_function_of_a_library_stays_as_it_is(tmp_path):
    assert named(json.dumps, str(tmp_path)) is json.dumps
    assert named(len, str(tmp_path)) is len


def test_a_function_that_nobody_else_could_find_is_refused(tmp_path):
    def inner() -> None: ...

    for function in (inner, lambda: None):
        with pytest.raises(WorkflowError, match="is a lambda or within another function"):
            named(function, str(tmp_path))
