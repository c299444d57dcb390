"""Recording for tests: run ``longpole record`` as a user would, and open what it left."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from longpole.store.run import StoredRun, open_run

SOURCE = Path(__file__).parents[1] / "src"
NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")


@dataclass(frozen=True, slots=True)
class Someone:
    """Who records: a prefix for commands, an interpreter they may run, where their runs go, and libraries."""

    prefix: tuple[str, ...]
    python: str
    source: Path
    runs: Path
    libraries: tuple[str, ...] = ()

    def command(self, *arguments: str) -> list[str]:
        """Return the command line of ``longpole`` with these arguments."""
        return [*self.prefix, self.python, "-m", "longpole", *arguments]

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return an environment in which our package is found and nothing of an outer recording is."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LONGPOLE_RUN")}
        kept.pop("LONGPOLE_RINGS", None)
        path = os.pathsep.join([str(self.source), *self.libraries])
        return {**kept, "PYTHONPATH": path, "LONGPOLE_RUNS": str(self.runs), **(extra or {})}

    def record(
        self, *command: str, options: Sequence[str] = (), env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Record a command to its end."""
        return subprocess.run(
            self.command("record", *options, "--", *command),
            capture_output=True,
            text=True,
            env=self.environment(env),
            timeout=100,
            check=False,
        )

    def start(self, *command: str, options: Sequence[str] = ()) -> subprocess.Popen[str]:
        """Begin to record a command."""
        return subprocess.Popen(
            self.command("record", *options, "--", *command),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(),
        )

    def latest(self) -> StoredRun:
        """Open the run that was made last."""
        return open_run(self.folder())

    def folder(self) -> Path:
        """Return the folder of the run that was made last."""
        return max(self.runs.iterdir(), key=lambda path: path.stat().st_mtime_ns)


@contextmanager
def somebody(*, nobody: bool) -> Iterator[Someone]:
    """Give a person with a runs folder of their own; nobody gets a copy of the package they can read."""
    with tempfile.TemporaryDirectory(prefix="longpole-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        runs = folder / "runs"
        runs.mkdir()
        if not nobody:
            yield Someone((), sys.executable, SOURCE, runs)
            return
        os.chown(runs, NOBODY, NOBODY)
        shutil.copytree(
            SOURCE / "longpole", folder / "src" / "longpole", ignore=shutil.ignore_patterns("__pycache__")
        )
        yield Someone(AS_NOBODY, python_for_nobody(), folder / "src", runs)


def total(run: StoredRun, metric: str) -> float:
    """Return one total of a whole run."""
    table = run.query(f"SELECT value FROM totals WHERE scope = 'run' AND metric = '{metric}'")
    return float(table["value"][0] or 0)


def python_for_nobody() -> str:
    """Return an interpreter that nobody may run: ours may lie in a home that is closed to others."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        # some modules are frozen into the interpreter: only others show that its library can be read
        usable = "sys.version_info >= (3, 11) and os.access(sys.executable, os.X_OK)"
        check = [*AS_NOBODY, python, "-c", f"import os, sys, json, mmap; sys.exit(not ({usable}))"]
        if Path(python).exists() and subprocess.run(check, capture_output=True, check=False).returncode == 0:
            return python
    raise LookupError("no Python >= 3.11 that nobody may run; install python3 in /usr/bin")
