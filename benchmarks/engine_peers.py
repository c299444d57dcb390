"""The peers of ``benchmarks/engine.py``: where their libraries are, and how fast they run tasks.

Parsl and Dask live in an environment of their own, made where it is not there yet: what they need must not
meet what Longpole needs. Bare spawning, the pool of the standard library and Snakemake run in our Python.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks.engine_runs import spend
from benchmarks.processes import ROOT

FOLDER = ROOT / "benchmarks" / "peers_engine"
PINNED = ("parsl==2026.10.26", "distributed==2026.8.0", "dask==2026.8.0")
MARK = ".longpole-peers"


@dataclass(frozen=True, slots=True)
class Peer:
    """One way to run tasks that are not ours.

    Attributes:
        words: What tables call it.
        program: Which program of ``peers_engine`` it is.
        shape: What that is asked for.
        apart: Whether it needs the environment of the peers.
        every_round: Whether it runs in all rounds: what is slow runs in the first ones only.
    """

    words: str
    program: str
    shape: str
    apart: bool = False
    every_round: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """How fast tasks ran; CPU time and memory are of the whole program, its start included."""

    tasks: int
    seconds: float
    cpu_s: float
    peak_mb: float

    @property
    def rate(self) -> float:
        """Tasks a second; nan where it was too short to be told from starting."""
        return self.tasks / self.seconds if self.seconds > 0 else math.nan


@dataclass(frozen=True, slots=True)
class Setting:
    """How peers are measured: how many tasks at once, where, by which Python, and for how long at most."""

    cores: int
    place: Path
    apart: Path | None
    limit_s: float


def prepare(folder: str) -> Path | None:
    """Return the Python of the peers' environment, made if it is not there; None where none is wanted.

    Raises:
        CommandError: It cannot be made.
    """
    if not folder:
        return None
    path = Path(folder).absolute()
    python, mark = path / "bin" / "python", path / MARK
    if not mark.exists() or mark.read_text().split() != list(PINNED):
        if not python.exists():
            spend([sys.executable, "-m", "venv", str(path)])
        spend([str(python), "-m", "pip", "install", "-qq", *PINNED])
        mark.write_text("\n".join(PINNED))
    return python


def missing(peer: Peer, setting: Setting) -> str:
    """Return why a peer cannot run here, or nothing."""
    if peer.apart and setting.apart is None:
        return "no environment of its own; --peers DIR makes one"
    if peer.program == "snakemake_rules" and find_spec("snakemake") is None:
        return "Snakemake is not installed"
    return ""


def run_peer(peer: Peer, tasks: int, setting: Setting) -> Measured:
    """Let a peer run so many tasks.

    Raises:
        CommandError: It failed, or took too long.
    """
    python = setting.apart if peer.apart and setting.apart else sys.executable
    # What our Python is told to import is nothing for theirs.
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory(prefix="longpole-peer-", dir=setting.place) as folder:
        words = [peer.shape, str(tasks), str(setting.cores), folder]
        command = [str(python), str(FOLDER / f"{peer.program}.py"), *words]
        spent = spend(command, environment, setting.limit_s)
    seconds = json.loads(spent.output.splitlines()[-1])["seconds"]
    return Measured(tasks, seconds, spent.cpu_s, spent.peak_mb)
