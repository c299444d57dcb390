"""Finders and loaders of the program's own are asked as often as before, and do what they did."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.record.hooks.project import make_project, same_script
from tests.recording import Someone


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with modules of many kinds."""
    return make_project(tmp_path)


LAZY = """
    import importlib.machinery, importlib.util, sys
    class Lazily:
        def find_spec(self, name, path=None, target=None):
            spec = importlib.machinery.PathFinder.find_spec(name, path, target)
            if spec is not None and name in ("failing", "package"):
                spec.loader = importlib.util.LazyLoader(spec.loader)
            return spec
    sys.meta_path.insert({place}, Lazily())
    import failing, package
    print(type(package))
    print(package.part.place, type(package), type(package.__loader__), package.__spec__)
    print(type(failing))
    failing.anything
"""


@pytest.mark.parametrize("place", [0, 1])
def test_lazy_modules_stay_lazy(user: Someone, project: Path, place: int) -> None:
    said = same_script(user, project, LAZY.format(place=place))

    assert said.out.count("_LazyModule") == 2
    assert "ValueError: here" in said.err


def test_module_loaded_lazily_by_the_recipe_of_the_manual_is_what_it_was(
    user: Someone, project: Path
) -> None:
    (project / "optuna.py").write_text("print('loaded', type(__loader__), type(__spec__.loader))\nx = 1")
    said = same_script(
        user,
        project,
        """
        import importlib.machinery, importlib.util, sys
        spec = importlib.util.find_spec("optuna")
        print(spec, isinstance(spec.loader, importlib.machinery.SourceFileLoader))
        spec.loader = loader = importlib.util.LazyLoader(spec.loader)
        sys.modules["optuna"] = module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        print("not yet", spec.loader is loader)
        print(module.x, type(module.__loader__), module.__spec__)
        """,
    )

    assert said.out.index("not yet") < said.out.index("\nloaded")


FINDERS = """
    import sys
    class Counting:
        def find_spec(self, name, path=None, target=None):
            if name in ("package", "package.part", "absent", "other_absent"):
                print("asked for", name, path, target)
    class Failing:
        def find_spec(self, name, path=None, target=None):
            if name == "absent":
                raise {error}("a finder fails")
    sys.meta_path.insert(0, Counting())
    sys.meta_path.insert({place}, Counting())
    sys.meta_path.append(Failing())
    import package.part
    try:
        import other_absent
    except ImportError as error:
        print(error)
    import absent
"""


@pytest.mark.parametrize("error", ["ImportError", "RuntimeError"])
@pytest.mark.parametrize("place", [1, 99])
def test_finders_are_asked_as_often_as_before(user: Someone, project: Path, place: int, error: str) -> None:
    said = same_script(user, project, FINDERS.format(place=place, error=error))

    assert said.out.count("asked for other_absent") == 2
    assert f"{error}: a finder fails" in said.err


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="finders of the old kind are no longer asked")
def test_finders_of_the_old_kind_keep_their_turn(user: Someone, project: Path) -> None:
    said = same_script(
        user,
        project,
        """
        import sys, types
        class Old:
            def find_module(self, name, path=None):
                return self if name in ("package", "made_up") else None
            def load_module(self, name):
                sys.modules[name] = types.ModuleType(name)
                sys.modules[name].by = "old"
                return sys.modules[name]
        sys.meta_path.insert(1, Old())
        import made_up, package
        print(made_up.by, package.by)
        """,
        "-W",
        "ignore",
    )

    assert said.out == "old old\n"


def test_loaders_of_odd_kinds_work_as_before(user: Someone, project: Path) -> None:
    said = same_script(
        user,
        project,
        """
        import sys, types
        from importlib.machinery import ModuleSpec
        class Half:
            def exec_module(self, module): pass
        class Whole:
            def create_module(self, spec): return Thing() if spec.name == "thing" else None
            def exec_module(self, module): print("executed", type(module))
        class Thing:
            __slots__ = ()
        class Finder:
            def find_spec(self, name, path=None, target=None):
                loaders = {"half": Half, "thing": Whole, "whole": Whole}
                return ModuleSpec(name, loaders[name]()) if name in loaders else None
        sys.meta_path.append(Finder())
        import whole, thing
        print(type(whole.__loader__), type(thing))
        import half
        """,
    )

    assert said.out.count("executed") == 2
    assert "create_module" in said.err


def test_meta_path_may_be_replaced(user: Someone, project: Path) -> None:
    said = same_script(
        user,
        project,
        """
        import sys
        class Wrapping:
            def __init__(self, finder): self.finder = finder
            def find_spec(self, *given): return self.finder.find_spec(*given)
        sys.meta_path = [Wrapping(finder) for finder in sys.meta_path]
        import package
        sys.meta_path[:] = [finder for finder in sys.meta_path if "Path" in str(finder.finder)]
        import round_a
        print(package.part.place, round_a.name)
        import absent
        """,
    )

    assert "No module named 'absent'" in said.err
