"""What loads into users' Pythons can be read by Python 3.8, and the first file of all by any."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.record.hooks.pythons import find_python
from tests.recording import SOURCE

PACKAGE = SOURCE / "longpole"
HOOKS = sorted((PACKAGE / "record" / "hooks").rglob("*.py"))
FIRST = PACKAGE / "record" / "hooks" / "site" / "sitecustomize.py"
LOADED = [
    *HOOKS,
    *sorted((PACKAGE / "record" / "client").glob("*.py")),
    *(PACKAGE / name for name in ("__init__.py", "_version.py", "record/__init__.py", "record/recording.py")),
    *(PACKAGE / "log" / name for name in ("__init__.py", "slots.py")),
]
# Of the standard library of the Python that runs this: what Python 3.8 did not have yet.
LATER = {"graphlib", "zoneinfo", "tomllib", "compression", "annotationlib", "string.templatelib"}
# What Python 2.7 cannot read, as far as the parser has nodes for it.
NEW = (
    ast.JoinedStr,
    ast.AnnAssign,
    ast.Nonlocal,
    ast.YieldFrom,
    ast.NamedExpr,
    ast.Await,
    ast.AsyncFunctionDef,
)


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", LOADED, ids=name_of)
def test_file_can_be_read_by_python_3_8(path: Path) -> None:
    ast.parse(path.read_text(), feature_version=(3, 8))


@pytest.mark.parametrize("path", LOADED, ids=name_of)
def test_file_imports_the_standard_library_of_python_3_8_and_ours_only(path: Path) -> None:
    known = set(sys.stdlib_module_names) - LATER | {"longpole", "longpole_watch"}

    imported = {name.partition(".")[0] for name in _imported(ast.parse(path.read_text()))}

    assert imported <= known


def test_first_file_has_nothing_that_python_2_cannot_read() -> None:
    tree = ast.parse(FIRST.read_text())

    assert [node for node in ast.walk(tree) if isinstance(node, NEW) or _is_new_form(node)] == []


def test_hooks_can_be_loaded_by_python_3_8() -> None:
    modules = [f"longpole.record.hooks.{path.stem}" for path in HOOKS if path.parent.name == "hooks"]
    script = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import {', '.join(sorted(modules))}"
    script = script.replace("longpole.record.hooks.__init__", "longpole.record.hooks")

    done = subprocess.run([find_python("3.8"), "-c", script], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def _imported(tree: ast.AST) -> set[str]:
    """Return the names that are imported, but for type checking."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        found |= _imported(node)
    return found - ({"sitecustomize"} if "sitecustomize" in found else set())


def _is_new_form(node: ast.AST) -> bool:
    if isinstance(node, ast.arguments):
        every = [*node.args, *node.kwonlyargs, *filter(None, (node.vararg, node.kwarg))]
        return bool(node.kwonlyargs or node.posonlyargs or any(argument.annotation for argument in every))
    if isinstance(node, ast.FunctionDef):
        return node.returns is not None
    if isinstance(node, ast.Raise):
        return node.cause is not None
    return isinstance(node, ast.ClassDef) and bool(node.keywords)
