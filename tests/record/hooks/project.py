"""A folder with modules of many kinds, for programs that import them."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from zipfile import ZipFile

from tests.record.hooks.both_ways import Said, Setting, same
from tests.recording import Someone

FILES = {
    "failing.py": "raise ValueError('here')",
    "leaving.py": "raise SystemExit(7)",
    "interrupted.py": "raise KeyboardInterrupt",
    "once.py": "import builtins\nif not hasattr(builtins, 'ready'): raise ValueError('not yet')",
    "outer.py": "import failing",
    "broken.py": "def (:",
    "null.py": "x = '\0'",
    "wrong_coding.py": "# -*- coding: nonsense -*-",
    "nested.py": "import absent_library",
    "circle_a.py": "import circle_b\nname = 1",
    "circle_b.py": "from circle_a import name",
    "round_a.py": "import round_b\nname = 1",
    "round_b.py": "import round_a\ndef late(): return round_a.name",
    "warning.py": "import warnings\nwarnings.warn('look', stacklevel=2)",
    "replaced.py": "import sys\nclass Other:\n    colour = 'red'\nsys.modules[__name__] = Other()",
    "package/__init__.py": "from package import part",
    "package/part.py": "place = __file__.rpartition('/')[2]",
    "package/__main__.py": "import package\nprint(__name__, __package__, __spec__.name, package.part.place)",
    "package/data.txt": "some data",
    "namespace/part.py": "",
}


def make_project(folder: Path) -> Path:
    """Write the modules, and an archive with one."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    with ZipFile(folder / "archive.zip", "w") as archive:
        archive.writestr("zipped.py", "name = __name__\ndef fail(): raise ValueError('in an archive')")
    return folder


def same_script(user: Someone, project: Path, script: str, *options: str) -> Said:
    """Run a script in the project both ways, as ``same`` does."""
    (project / "script.py").write_text(dedent(script))
    return same(user, [user.python, *options, "script.py"], Setting(project))
