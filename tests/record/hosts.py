"""Another host, as far as a recording can tell: a name, memory and a clock of its own, on this machine."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping

from tests.recording import Someone

_FAKETIME = "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1 FAKETIME_DONT_FAKE_MONOTONIC=1"


def on_host(
    someone: Someone, host: str, command: str, env: Mapping[str, str] | None = None, ahead_s: float = 0.0
) -> subprocess.Popen[str]:
    """Start a recording into the run 'hosts' as another host would, whose clock is so far ahead."""
    fake = f"{_FAKETIME} FAKETIME={ahead_s:+}s " if ahead_s else ""
    record = shlex.join([someone.python, "-m", "longpole", "record", "--into", "hosts", "--"])
    inside = f"hostname {host} && mount -t tmpfs none /dev/shm && exec env {fake}{record} {command}"
    return subprocess.Popen(
        ["unshare", "--uts", "--mount", "--propagation", "private", "sh", "-c", inside],
        env=someone.environment(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
