"""What starting costs: a process, an interpreter, and the import of large packages.

Method: wall time from before the start to after the end. The interpreter is the one that runs us, started as
users do (``python -c pass``); an import is a start with it, less the quickest bare start seen so far. Files
are in the page cache after the first time, as they are for all but the first task on a node; the first start
of the day is slower.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from longpole.measure.probe import LEAST_REPEATS, LEAST_SLOW_REPEATS, UnmeasurableError

PACKAGES = ("numpy", "torch", "pandas", "scipy", "sklearn", "matplotlib", "tensorflow")
_LONGEST_S = 120.0
# No import is quicker than what a clock can tell from a bare start.
_LEAST_S = 1e-6


class Starts:
    """Starts of a process and of an interpreter."""

    least = LEAST_REPEATS
    on_cores = True
    remark = ""
    how = "from start to end"

    def __init__(self) -> None:
        """Find the smallest program, and start all once, so that their files are at hand."""
        self._true = shutil.which("true")
        self.trial()

    def trial(self) -> Mapping[str, float]:
        """Start each once."""
        found = {"interpreter": start_s(_python("pass"))}
        return {**found, "process": start_s([self._true])} if self._true else found

    def close(self) -> None:
        """Nothing is kept."""


class Import:
    """Starts of an interpreter that imports a package."""

    least = LEAST_SLOW_REPEATS
    on_cores = True
    remark = ""

    def __init__(self, package: str) -> None:
        """Import once, so that its files are at hand."""
        if not is_installed(package):
            raise UnmeasurableError(f"{package} is not installed.")
        self._package, self._bare_s = package, float("inf")
        self.trial()

    @property
    def how(self) -> str:
        """Say what it is the difference of."""
        return "start with the import less a bare start"

    def trial(self) -> Mapping[str, float]:
        """Start without the import and with it."""
        self._bare_s = min(self._bare_s, start_s(_python("pass")))
        took_s = start_s(_python(f"import {self._package}"))
        return {f"import {self._package}": max(_LEAST_S, took_s - self._bare_s)}

    def close(self) -> None:
        """Nothing is kept."""


def is_installed(package: str) -> bool:
    """Return whether a package can be found, without importing it."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def start_s(command: Sequence[str]) -> float:
    """Return the seconds a command takes from its start to its end.

    Raises:
        UnmeasurableError: It fails, or takes minutes.
    """
    quiet = subprocess.DEVNULL
    begun = time.perf_counter()
    # From the root, so that no file beside us is taken for a package.
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, cwd="/")
    patience = threading.Timer(_LONGEST_S, process.kill)
    patience.start()
    try:
        code = process.wait()  # with a timeout of its own it would look only every 50 ms
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        patience.cancel()
    took_s = time.perf_counter() - begun
    if code:
        raise UnmeasurableError(f"'{command[-1]}' fails with exit code {code}, or takes minutes.")
    return took_s


def _python(script: str) -> list[str]:
    return [sys.executable, "-c", script]
