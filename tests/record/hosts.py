"""Other hosts, as far as a recording can tell: a name, memory and clocks of their own, on this machine."""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.recording import Someone

_SHIM = Path(__file__).with_name("drifting_clock.c")


@dataclass(frozen=True, slots=True)
class Clocks:
    """How a host's clocks are wrong: UTC by so much, and both by so much a second since a moment."""

    library: Path
    ahead_ns: int
    drift_ppm: int
    since_ns: int

    def environment(self) -> dict[str, str]:
        """Return what makes programs see these clocks."""
        return {
            "LD_PRELOAD": str(self.library),
            "LONGPOLE_TEST_AHEAD_NS": str(self.ahead_ns),
            "LONGPOLE_TEST_DRIFT_PPM": str(self.drift_ppm),
            "LONGPOLE_TEST_SINCE_NS": str(self.since_ns),
        }


def wrong_clocks(folder: Path, ahead_ns: int, drift_ppm: int) -> Clocks:
    """Build clocks that are wrong from now on."""
    library = folder / "drifting_clock.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(_SHIM)], check=True)
    return Clocks(library, ahead_ns, drift_ppm, time.monotonic_ns())


def on_host(
    someone: Someone, host: str, command: str, env: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """Start a recording into the run 'hosts' as another host would."""
    record = shlex.join([someone.python, "-m", "longpole", "record", "--into", "hosts", "--"])
    inside = f"hostname {host} && mount -t tmpfs none /dev/shm && exec {record} {command}"
    return subprocess.Popen(
        ["unshare", "--uts", "--mount", "--propagation", "private", "sh", "-c", inside],
        env=someone.environment(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
