"""Running workflows for tests: ``longpole run`` as a user types it, and what can be asked of its runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from longpole.store.driver_log import DriverLog
from longpole.store.workflow import read_driver_logs
from tests.parts import need
from tests.recording import NOBODY, Someone, somebody

PLACEMENTS = ("links", "baseline", "container-installed", "clustering", "shared-fs")
# One tile for each line of the picture, named by it, and as many bytes large as the number of its line.
CUT = """
import os, sys

source, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
with open(source, encoding="utf-8") as lines:
    for number, line in enumerate(lines, 1):
        with open(os.path.join(folder, line.rstrip("\\n") + ".png"), "w") as tile:
            tile.write("x" * number)
"""
# What tests may leave on a bench.
_ROOM_BYTES = 200_000_000
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True, slots=True)
class Bench:
    """Someone with a folder to work in, where a ``python`` is on the path."""

    someone: Someone
    folder: Path

    @property
    def results(self) -> Path:
        """Where results go if nothing else was said."""
        return self.folder / "results"

    @property
    def is_nobody(self) -> bool:
        """Whether this is an ordinary user."""
        return bool(self.someone.prefix)

    def write(self, name: str, text: str) -> Path:
        """Write a file of this person's own; return where it is."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        for each in (path, *path.parents[: len(path.relative_to(self.folder).parts)]):
            self.give(each)
        return path

    def give(self, path: Path) -> None:
        """Let this person own a file or folder."""
        if self.is_nobody:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return variables with which our package and a ``python`` are found."""
        path = f"{self.folder / 'bin'}:{os.environ.get('PATH', os.defpath)}"
        return self.someone.environment({"PATH": path, "COLUMNS": "100", **(extra or {})})

    def call(self, *arguments: str, env: Mapping[str, str] | None = None) -> Done:
        """Call ``longpole`` and wait for its end."""
        return subprocess.run(
            self.someone.command(*arguments),
            **self._how(env),
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    def start(self, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start ``longpole`` in a session of its own; what it says goes to the file ``said``."""
        with (self.folder / "said").open("wb") as said:
            return subprocess.Popen(
                self.someone.command(*arguments),
                **self._how(env),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    def run(self, *arguments: str, env: Mapping[str, str] | None = None) -> Done:
        """Call ``longpole run``, which must go well."""
        done = self.call("run", *arguments, env=env)
        assert done.returncode == 0, done.stderr
        return done

    def json(self, *arguments: str) -> Any:
        """Call ``longpole`` and return the JSON it writes."""
        done = self.call(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def rows(self, sql: str, run: str = "latest") -> list[tuple[Any, ...]]:
        """Return the rows that ``longpole query`` answers."""
        return [tuple(row.values()) for row in self.json("query", run, sql)["rows"]]

    def runs(self) -> list[Path]:
        """Return the folders of all runs, in the order in which they began."""
        return sorted(path for path in self.someone.runs.iterdir() if not path.name.startswith("."))

    def log(self) -> DriverLog:
        """Return what the drivers of the last run wrote down."""
        return read_driver_logs(self.runs()[-1])

    def processes(self) -> list[int]:
        """Return the processes that belong to a run of this person: by their variables or command lines."""
        mark = os.fsencode(self.someone.runs)
        found = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
        return [pid for pid in found if mark in _said_of(pid)]

    def mounts(self) -> list[str]:
        """Return what is mounted for runs."""
        lines = Path("/proc/mounts").read_text().splitlines()
        return [line for line in lines if "longpole-images" in line or str(self.folder) in line]

    def _how(self, env: Mapping[str, str] | None) -> dict[str, Any]:
        return {"env": self.environment(env), "cwd": self.folder}


@contextmanager
def bench_of(*, nobody: bool) -> Iterator[Bench]:
    """Give a bench; it and all on it is removed in the end."""
    if nobody:
        need("nobody", "nobody-libraries")
    with somebody(nobody=nobody) as found, tempfile.TemporaryDirectory(prefix="bench-", dir=_quick()) as name:
        folder = Path(name)
        folder.chmod(0o755)
        libraries = (sysconfig.get_path("purelib"),) if nobody else ()
        someone = replace(found, runs=folder / ".longpole" / "runs", libraries=libraries)
        someone.runs.mkdir(parents=True)
        (folder / "bin").mkdir()
        (folder / "bin" / "python").symlink_to(someone.python)
        bench = Bench(someone, folder)
        for each in (folder, *folder.rglob("*")):
            bench.give(each)
        yield bench


def _quick() -> str | None:
    """Return a folder in memory, where thousands of small files cost little; none where there is no room."""
    memory = "/dev/shm"
    return memory if os.path.isdir(memory) and shutil.disk_usage(memory).free > _ROOM_BYTES else None


def until(is_so: Callable[[], bool], limit_s: float = 30.0) -> None:
    """Wait until something is so; fail if that takes too long."""
    end = time.monotonic() + limit_s
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def _said_of(pid: int) -> bytes:
    """Return the variables and the command line of a process; a zombie has none."""
    found = b""
    for name in ("environ", "cmdline"):
        try:
            found += Path(f"/proc/{pid}/{name}").read_bytes()
        except OSError:
            pass  # it has just ended, or is not ours
    return found
