"""Importing is as it was: the same modules, loaders, errors, tracebacks and warnings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.record.hooks.both_ways import Said, Setting, record
from tests.record.hooks.project import make_project, same_script
from tests.recording import Someone


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with modules of many kinds."""
    return make_project(tmp_path)


FAILING = [
    *("failing", "outer", "leaving", "interrupted", "broken", "null", "wrong_coding", "nested", "circle_a"),
    *("absent", "package.absent", "package.part.absent", "absent.part", "namespace.absent", "sys.absent"),
]


@pytest.mark.parametrize("module", FAILING)
def test_import_that_fails_says_the_same(user: Someone, project: Path, module: str) -> None:
    said = same_script(user, project, f"import {module}")

    assert said.code != 0


def test_names_that_are_not_there_fail_the_same(user: Someone, project: Path) -> None:
    said = same_script(
        user,
        project,
        """
        import traceback
        for what in "from package import x", "import absent", "from round_a import x", "import json.x":
            try:
                exec(what)
            except ImportError as error:
                print(repr(error), error.name, error.path, error.__context__, error.__cause__)
                traceback.print_exc()
        """,
    )

    assert said.out.count("Error(") == 4


def test_failed_import_can_be_tried_again(user: Someone, project: Path) -> None:
    said = same_script(
        user,
        project,
        """
        import builtins, sys
        for _ in range(2):
            try:
                import once
            except ValueError as error:
                print(error, "once" in sys.modules)
            builtins.ready = True
        import once
        print(once.__spec__)
        """,
    )

    assert said.out.startswith("not yet False\nModuleSpec")


LOADERS = """
    import sys
    sys.path.insert(0, "archive.zip")
    import package.part, namespace.part, replaced, round_a, zipped
    import _bisect, _codecs, array, encodings.cp037, json, time, zipimport
    ours = "package package.part namespace namespace.part round_a round_b zipped"
    for name in (ours + " _bisect _codecs array json time").split():
        module, spec = sys.modules[name], sys.modules[name].__spec__
        print(name, type(module.__loader__), type(spec.loader), spec.loader is module.__loader__)
        print(spec, module, getattr(module, "__file__", None), spec.cached, spec.has_location)
        print(sorted(vars(spec)), spec._initializing)
    print(replaced.colour, round_a.round_b.late())
"""


def test_modules_are_what_they_were(user: Someone, project: Path) -> None:
    said = same_script(user, project, LOADERS)

    assert "SourceFileLoader" in said.out
    assert "zipimporter" in said.out


def test_module_sees_its_own_loader_while_it_is_loaded(user: Someone, project: Path) -> None:
    (project / "looking.py").write_text(
        "print(type(__loader__), type(__spec__.loader), __spec__, __loader__ is __spec__.loader)"
    )

    said = same_script(user, project, "import looking")

    assert "SourceFileLoader" in said.out


def test_looking_for_modules_finds_the_same(user: Someone, project: Path) -> None:
    said = same_script(
        user,
        project,
        """
        import importlib.util, pkgutil, sys
        for name in ("package", "package.part", "namespace", "json", "sys", "absent", "absent.part"):
            try:
                print(importlib.util.find_spec(name))
            except ImportError as error:
                print(repr(error))
        for finder in sys.meta_path:
            if hasattr(finder, "find_spec"):
                assert finder.find_spec("absent", None) is None
        print([module.name for module in pkgutil.iter_modules(["."])])
        print([module.name for module in pkgutil.walk_packages(["package"], "package.")])
        print({"json", "package", "zlib"} <= {module.name for module in pkgutil.iter_modules()} | {"zlib"})
        """,
    )

    assert "SourceFileLoader" in said.out


def test_reload_resources_and_metadata_work(user: Someone, project: Path) -> None:
    said = same_script(
        user,
        project,
        """
        import importlib, importlib.metadata, importlib.resources, inspect, package.part
        package.part.place = "changed"
        print(importlib.reload(package.part).place, importlib.reload(package) is package)
        print(importlib.resources.files("package").joinpath("data.txt").read_text())
        print(importlib.metadata.version("pytest") > "8", inspect.getsource(package.part))
        """,
    )

    assert "some data" in said.out


def test_modules_in_archives_fail_with_the_same_traceback(user: Someone, project: Path) -> None:
    said = same_script(
        user, project, "import sys; sys.path.insert(0, 'archive.zip')\nimport zipped; zipped.fail()"
    )

    assert "archive.zip" in said.err


def test_warning_at_import_is_where_it_was(user: Someone, project: Path) -> None:
    said = same_script(user, project, "import sys\nimport warning", "-W", "always")

    assert "script.py:2: UserWarning: look" in said.err


def test_runpy_runs_modules_and_paths(user: Someone, project: Path) -> None:
    said = same_script(
        user,
        project,
        """
        import runpy
        print(sorted(runpy.run_module("package.part")))
        runpy.run_path("package/part.py")
        runpy.run_module("package", run_name="__main__", alter_sys=True)
        runpy.run_path("package/../failing.py")
        """,
    )

    assert said.code == 1


def test_threads_may_import_at_the_same_time(user: Someone, project: Path) -> None:
    names = [f"many_{number}" for number in range(40)]
    for name in names:
        (project / f"{name}.py").write_text("import time\ntime.sleep(0.004)\nfrom package import part")
    said = same_script(
        user,
        project,
        f"""
        import importlib, threading
        names = {names}
        def work(names):
            for name in names:
                importlib.import_module(name)
        orders = [names[start:] + names[:start] for start in (0, 10, 20, 30)]
        threads = [threading.Thread(target=work, args=(order,)) for order in orders]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(*(importlib.import_module(name).part.place for name in names))
        """,
    )

    assert said.err == ""
    imports = user.latest().query("SELECT name FROM phases WHERE kind = 'import' ORDER BY name")["name"]
    assert {name for name in imports if str(name).startswith("many_")} <= set(names)
    assert len(set(imports)) == len(imports)


def test_only_imports_that_the_program_begins_are_phases(user: Someone, project: Path) -> None:
    for name, inner in (("first", "import second"), ("second", "")):
        (project / f"{name}.py").write_text(
            f"import time\n{inner}\nend = time.monotonic() + 0.07\nwhile time.monotonic() < end: pass"
        )
    (project / "script.py").write_text(
        "import longpole, json\nwith longpole.phase('outer'):\n    import first\nimport second, package"
    )

    said = record(user, [user.python, "script.py"], Setting(project))

    assert said == Said(0, "", "")
    sql = """SELECT p.name, p.duration_ns, q.name AS parent FROM phases p JOIN phases q ON p.parent = q.id
             WHERE p.kind = 'import' AND p.name IN ('first', 'second', 'package', 'time')"""
    [row] = user.latest().query(sql).records()
    assert (row["name"], row["parent"]) == ("first", "outer")
    assert row["duration_ns"] >= 140_000_000  # type: ignore[operator]


def test_program_that_imports_little_has_no_imports_as_phases(user: Someone, project: Path) -> None:
    said = record(user, [user.python, "-c", "import package, bisect"], Setting(project))

    assert said == Said(0, "", "")
    assert list(user.latest().query("SELECT name FROM phases WHERE kind = 'import'")["name"]) == []
