"""Pythons of any version and however started run as they did, and are watched where they can be."""

from __future__ import annotations

import stat
import subprocess
import sys
import zipapp
from pathlib import Path
from textwrap import dedent

import pytest

from longpole.record.hooked import SITE
from tests.record.hooks.both_ways import Said, Setting, record, run, same
from tests.record.hooks.project import make_project
from tests.record.hooks.pythons import VERSIONS, find_python
from tests.recording import Someone

SLOW = "import time; end = time.monotonic() + 0.12\nwhile time.monotonic() < end: pass"
SEEN = "import longpole\nwith longpole.phase('seen'): pass"
STATE = """
    import builtins, sys
    theirs = sys.modules.get("sitecustomize")
    print(theirs, getattr(builtins, "colour", None), sys.path, sys.argv, sys.flags)
    try:
        import sitecustomize
        print(sitecustomize is theirs, sitecustomize.__spec__, sitecustomize.__file__)
    except ImportError as error:
        print(repr(error), "sitecustomize" in sys.modules)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with modules of many kinds, and a script that tells in which state it finds its Python."""
    (tmp_path / "state.py").write_text(dedent(STATE))
    return make_project(tmp_path)


def seen_phases(user: Someone) -> list[object]:
    return list(user.latest().query("SELECT name FROM phases WHERE kind = 'phase'")["name"])


CUSTOM = {
    "works": "import builtins; builtins.colour = 'red'",
    "fails": "import builtins; builtins.colour = 'red'\nraise ValueError('here')",
    "imports what is not there": "import absent",
    "lacks itself": "raise ImportError('so', name='sitecustomize')",
    "leaves": "raise SystemExit('bye')",
}


@pytest.mark.parametrize("text", CUSTOM.values(), ids=CUSTOM)
def test_sitecustomize_of_the_user_runs_and_fails_as_before(user: Someone, project: Path, text: str) -> None:
    (project / "theirs").mkdir()
    (project / "theirs" / "sitecustomize.py").write_text(text)
    setting = Setting(project, {"PYTHONPATH": f"theirs:{project}"})

    said = same(user, [user.python, "state.py"], setting)

    assert str(project) in said.out + said.err or said.err == "bye\n"


def test_without_another_sitecustomize_there_is_none(user: Someone, project: Path) -> None:
    said = same(user, [user.python, "state.py"], Setting(project))

    assert said.out.startswith("None None [")


def test_usercustomize_runs(user: Someone, project: Path) -> None:
    (project / "usercustomize.py").write_text("print('theirs')")
    outside_environments = Path(sys.base_prefix, "bin", "python{}.{}".format(*sys.version_info))

    said = same(
        user, [str(outside_environments), "-c", "pass"], Setting(project, {"PYTHONPATH": str(project)})
    )

    assert said.out == "theirs\n"


WAYS = {
    "a command": ["-c", "import package, sys; print(sys.argv, sys.path, package.part.place)"],
    "a module": ["-m", "package", "x"],
    "a folder": ["folder", "x"],
    "an archive": ["app.pyz", "x"],
    "standard input": ["-", "x"],
    "a module of the library": ["-m", "json.tool", "numbers.json"],
    "a script that is not there": ["absent.py"],
    "a module that is not there": ["-m", "absent"],
    "a module that fails": ["-m", "failing"],
    "optimised": ["-OO", "state.py"],
    "without a path of its own": ["-P", "state.py"],
    "in development mode": ["-X", "dev", "state.py"],
    "isolated": ["-I", "state.py"],
    "without an environment": ["-E", "state.py"],
    "without users' packages": ["-s", "state.py"],
}


@pytest.mark.parametrize("way", WAYS)
def test_python_runs_as_before(user: Someone, project: Path, way: str) -> None:
    (project / "folder").mkdir()
    (project / "folder" / "__main__.py").write_text(
        "import sys; print(__name__, sys.argv, sys.path, __spec__)"
    )
    (project / "numbers.json").write_text("[1, 2]")
    zipapp.create_archive(project / "folder", project / "app.pyz")

    same(user, [user.python, *WAYS[way]], Setting(project, stdin="import sys; print(sys.argv, sys.path)"))


def test_script_with_a_shebang_runs_as_before(user: Someone, project: Path) -> None:
    script = project / "script"
    script.write_text(
        f"#!{user.python}\nimport package, sys\nprint(package.part.place, sys.argv)\nimport failing"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)

    said = same(user, ["./script", "x"], Setting(project))

    assert said.code == 1


def test_without_site_python_runs_as_before_but_for_a_folder_of_ours(user: Someone, project: Path) -> None:
    script = "import sys; print([path for path in sys.path if 'longpole' not in path], sys.meta_path)"

    same(user, [user.python, "-S", "-c", script], Setting(project))


@pytest.mark.parametrize("option", ["-v", "-Ximporttime", "-Werror", "-Wdefault"])
def test_talkative_and_strict_pythons_work(user: Someone, project: Path, option: str) -> None:
    (project / "slow.py").write_text(SLOW)
    script = "import slow, package, optuna_absent" if option == "-v" else "import slow, package"

    bare = run(user, [user.python, option, "-c", script], Setting(project))
    said = record(user, [user.python, option, "-c", script], Setting(project))

    assert (said.code, said.out) == (bare.code, bare.out)
    if option.startswith("-W"):
        assert said.err == ""


def test_child_without_python_path_is_let_go(user: Someone, project: Path) -> None:
    script = """
        import os, subprocess, sys
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        child = "import sys; print('longpole_watch' in sys.modules)"
        print(subprocess.run([sys.executable, "-c", child], env=environment, check=True, text=True))
    """
    (project / "script.py").write_text(dedent(script))

    said = same(user, [user.python, "script.py"], Setting(project))

    assert "False" in said.out


@pytest.mark.parametrize("folder", ["/nowhere/rings", "/proc/self", "/dev/null", "relative"])
def test_python_that_finds_no_place_for_its_ring_runs_as_before(
    user: Someone, project: Path, folder: str
) -> None:
    (project / "slow.py").write_text(SLOW)
    command = [user.python, "-c", f"import slow, multiprocessing\n{SEEN}\nimport failing"]
    bare = run(user, command, Setting(project))

    said = run(user, command, Setting(project, {"PYTHONPATH": SITE, "LONGPOLE_RINGS": folder}))

    assert said == bare
    assert "ValueError: here" in said.err


def test_environment_without_our_package_can_mark_phases(user: Someone, project: Path) -> None:
    python = _environment(user, project)

    bare = run(user, [python, "-c", SEEN], Setting(project))
    said = record(user, [python, "-c", SEEN], Setting(project))

    assert "No module named 'longpole'" in bare.err
    assert said == Said(0, "", "")
    assert seen_phases(user) == ["seen"]


def test_sitecustomize_of_an_environment_runs(user: Someone, project: Path) -> None:
    python = _environment(user, project)
    (_packages(project) / "sitecustomize.py").write_text("import builtins; builtins.colour = 'blue'")

    said = same(user, [python, "state.py"], Setting(project))

    assert "blue" in said.out


def test_packages_installed_editable_are_found(user: Someone, project: Path) -> None:
    python = _environment(user, project)
    (project / "elsewhere").mkdir()
    (project / "elsewhere" / "by_path.py").write_text("colour = 'red'")
    (project / "elsewhere" / "other.py").write_text("print(__name__, __spec__.origin)")
    (_packages(project) / "by_path.pth").write_text(str(project / "elsewhere"))
    (_packages(project) / "by_finder.pth").write_text("import editable_finder; editable_finder.install()")
    (_packages(project) / "editable_finder.py").write_text(dedent(EDITABLE.format(project=project)))

    said = same(user, [python, "-c", "import by_finder, by_path; print(by_path.colour)"], Setting(project))

    assert said.out.splitlines()[1] == "red"


EDITABLE = """
    import sys
    from importlib.util import spec_from_file_location
    class Finder:
        @classmethod
        def find_spec(cls, name, path=None, target=None):
            if name == "by_finder":
                return spec_from_file_location(name, "{project}/elsewhere/other.py")
    def install():
        sys.meta_path.append(Finder)
"""


def _environment(user: Someone, project: Path) -> str:
    """Make an environment in which our package is not installed; return its Python."""
    command = [user.python, "-m", "venv", "--without-pip", str(project / "environment")]
    subprocess.run(command, check=True, capture_output=True)
    return str(project / "environment" / "bin" / "python")


def _packages(project: Path) -> Path:
    return next((project / "environment" / "lib").glob("python*/site-packages"))


MANY = """
    from __future__ import print_function
    import sys, traceback
    import package.part, round_a
    print(package.part.place, round_a.name, sys.path, "sitecustomize" in sys.modules)
    names = "failing outer broken nested circle_a absent package.absent absent.part sys.absent wrong_coding"
    for name in names.split():
        try:
            __import__(name)
        except BaseException:
            traceback.print_exc()
"""


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.7", *VERSIONS])
def test_any_python_runs_as_before(user: Someone, project: Path, version: str) -> None:
    python = find_python(version)
    (project / "script.py").write_text(dedent(MANY))

    said = same(user, [python, "script.py"], Setting(project))

    assert said.code == 0
    assert "ValueError: here" in said.err


@pytest.mark.parametrize("version", VERSIONS)
def test_imports_and_phases_of_other_pythons_are_seen(user: Someone, project: Path, version: str) -> None:
    (project / "slow.py").write_text(SLOW)
    command = [find_python(version), "-W", "error", "-c", f"import slow\n{SEEN}"]

    said = record(user, command, Setting(project))

    assert said == Said(0, "", "")
    imports = user.latest().query("SELECT name FROM phases WHERE kind = 'import' AND name = 'slow'")["name"]
    assert (list(imports), seen_phases(user)) == (["slow"], ["seen"])
