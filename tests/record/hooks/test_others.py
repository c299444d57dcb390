"""Hooks that other packages bring by entry point are found and applied, and do no harm when they fail."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from longpole.record.hooks.others import find_hooks
from tests.record.hooks.both_ways import Said, Setting, record, same
from tests.record.hooks.pythons import VERSIONS, find_python
from tests.recording import Someone

# A library takes long enough to import that hooks of others are looked for.
BUSY = "import time; end = time.monotonic() + 0.05\nwhile time.monotonic() < end: pass\n"
TINY = """
    import warnings
    class Solver:
        def solve(self, size):
            if size < 0:
                raise ValueError("a size is not below zero")
            if size == 0:
                warnings.warn("nothing to do", stacklevel=2)
            return [self.step(number) for number in range(size)]
        def step(self, number):
            return number * number
"""
HOOK = """
    def watch(tiny, patches):
        patches.phase(tiny.Solver, "solve", "solve", describe)
        patches.phase(tiny.Solver, "step", "tiny step")
    def describe(solver, size):
        return "solve", {"size": size}
"""
PROGRAM = """
    import tiny
    solver = tiny.Solver()
    print(solver.solve(3), tiny.Solver.solve.__name__)
    solver.solve(0)
    solver.solve(-1)
"""
PHASES = """SELECT p.name, p.status, p.attributes, q.name AS parent
            FROM phases p JOIN phases q ON p.parent = q.id
            WHERE p.kind IN ('solve', 'tiny step') ORDER BY p.start_ns"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a library, a package that brings a hook for it, and a program."""
    write_hook(tmp_path, HOOK)
    (tmp_path / "tiny.py").write_text(BUSY + dedent(TINY))
    (tmp_path / "program.py").write_text(dedent(PROGRAM))
    return tmp_path


def write_hook(folder: Path, text: str, target: str = "longpole_tiny:watch") -> None:
    """Install a package that brings a hook for the library."""
    (folder / "longpole_tiny.py").write_text(dedent(text))
    installed = folder / "longpole_tiny-1.0.dist-info"
    installed.mkdir(exist_ok=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: longpole-tiny\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(
        f"[console_scripts]\nsolve = tiny:main\n\n[longpole.hooks]\ntiny = {target}\n"
    )


def given_up(user: Someone) -> list[tuple[str, str]]:
    return [(failure.hook, failure.why) for failure in user.latest().recording.hooks_given_up]


def test_hook_makes_phases_of_a_library(user: Someone, project: Path) -> None:
    said = same(user, [user.python, "program.py"], Setting(project))

    assert said.code == 1
    rows = [tuple(row.values()) for row in user.latest().query(PHASES).records()]
    steps = [("Solver.step", "ok", None, "solve")] * 3
    assert rows[:4] == [("solve", "ok", '{"size": 3}', "python"), *steps]
    failed = '{"size": -1, "error": "ValueError"}'
    assert rows[4:] == [("solve", "ok", '{"size": 0}', "python"), ("solve", "failed", failed, "python")]


def test_library_that_was_imported_before_hooks_were_looked_for_is_watched(
    user: Someone, project: Path
) -> None:
    (project / "tiny.py").write_text(dedent(TINY))
    (project / "heavy.py").write_text(BUSY)
    script = "import tiny, heavy; print(tiny.Solver().solve(2))"

    said = record(user, [user.python, "-c", script], Setting(project))

    assert said == Said(0, "[0, 1]\n", "")
    assert list(user.latest().query(PHASES)["name"]) == ["solve", "Solver.step", "Solver.step"]


def test_library_that_another_imports_is_watched(user: Someone, project: Path) -> None:
    (project / "heavy.py").write_text(BUSY)
    (project / "outer.py").write_text("import tiny")
    script = "import heavy, outer; print(outer.tiny.Solver().solve(1))"

    said = record(user, [user.python, "-c", script], Setting(project))

    assert said == Said(0, "[0]\n", "")
    assert list(user.latest().query(PHASES)["name"]) == ["solve", "Solver.step"]


FAULTS = {
    "raises at once": ("def watch(tiny, patches): 1 / 0", "ZeroDivisionError: division by zero"),
    "leaves": ("def watch(tiny, patches): raise SystemExit('bye')", "SystemExit: bye"),
    "raises half-way": (
        dedent(HOOK).replace('"tiny step")', '"tiny step")\n    tiny.Absent'),
        "has no attribute 'Absent'",
    ),
    "raises when called": (
        dedent(HOOK).replace('return "solve"', 'raise KeyError(size)\n    return "solve"'),
        "KeyError: 3",
    ),
    "cannot be imported": ("import absent_library", "ModuleNotFoundError: No module named 'absent_library'"),
    "cannot be read": ("def (:", "SyntaxError: invalid syntax"),
    "is not there": ("", "AttributeError: module 'longpole_tiny' has no attribute 'watch'"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_hook_that_fails_gives_up_and_the_program_runs_on(user: Someone, project: Path, fault: str) -> None:
    text, why = FAULTS[fault]
    write_hook(project, text)

    said = same(user, [user.python, "program.py"], Setting(project))

    assert "[0, 1, 4] solve" in said.out
    [(hook, reason)] = given_up(user)
    assert hook == "longpole_tiny:watch"
    assert why in reason


def test_hook_of_two_packages_for_one_library_are_both_applied(user: Someone, project: Path) -> None:
    (project / "second.py").write_text(
        "def watch(tiny, patches): patches.phase(tiny.Solver, 'solve', 'solve', lambda *_: ('second', {}))"
    )
    (project / "second-1.0.dist-info").mkdir()
    (project / "second-1.0.dist-info" / "entry_points.txt").write_text(
        "[longpole.hooks]\ntiny=second:watch\n"
    )
    (project / "program.py").write_text("import tiny; tiny.Solver().solve(0)")

    record(user, [user.python, "-W", "ignore", "program.py"], Setting(project))

    assert sorted(map(str, user.latest().query(PHASES)["name"])) == ["second", "solve"]


@pytest.mark.parametrize("version", VERSIONS)
def test_hook_is_applied_in_other_pythons(user: Someone, project: Path, version: str) -> None:
    hides_frames = version in ("3.12", "3.13")

    said = (same if hides_frames else record)(user, [find_python(version), "program.py"], Setting(project))

    assert (said.code, said.out) == (1, "[0, 1, 4] solve\n")
    assert given_up(user) == []
    assert len(user.latest().query(PHASES)["name"]) == 6


def test_files_that_are_no_packages_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_hook(tmp_path, HOOK)
    (tmp_path / "odd.egg-info").write_text("a file")
    (tmp_path / "no.dist-info").mkdir()
    (tmp_path / "bytes.dist-info").mkdir()
    (tmp_path / "bytes.dist-info" / "entry_points.txt").write_bytes(
        b"\xff[longpole.hooks]\nno equals sign\n\xfe"
    )
    places = [tmp_path / "absent", str(tmp_path), str(tmp_path), "a\0b", None, 3.5]
    monkeypatch.setattr(sys, "path", places)

    assert find_hooks() == [("tiny", "longpole_tiny:watch")]
