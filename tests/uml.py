"""A kernel of its own for a test: User Mode Linux, an ordinary process, over the files of this machine.

The host's files are read-only in it; temporary files go to /mnt; control groups are those of version 2.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

KERNEL = "linux.uml"
_MEMORY = "mem=1G"
_SETTING = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
for new in /mnt /run /sys /dev/shm; do mount -t tmpfs -o mode=1777 tmpfs $new; done
export TMPDIR=/mnt
mkdir -p /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo +memory > /sys/fs/cgroup/cgroup.subtree_control
echo BEGIN
"""
_END = """
echo "END $?"
halt -f -p
"""


@dataclass(frozen=True, slots=True)
class Said:
    """What a script has written, on both outputs, and its exit code (None if it did not end)."""

    text: str
    code: int | None


def run_in_uml(script: str, environment: Mapping[str, str] | None = None) -> Said:
    """Run a shell script as root in a kernel of its own."""
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in (environment or {}).items())
    with tempfile.TemporaryDirectory(prefix="longpole-uml-") as folder:
        init = Path(folder) / "init"
        init.write_text(f"{_SETTING}{exports}(\n{script}\n) 2>&1{_END}")
        init.chmod(0o755)
        root = ("root=/dev/root", "rootfstype=hostfs", "hostfs=/", "ro", f"init={init}")
        done = subprocess.run(
            [KERNEL, _MEMORY, *root, "con=null", "con0=fd:0,fd:1", "quiet", f"umid=longpole-{os.getpid()}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "HOME": folder, "TMPDIR": folder},
            timeout=110,
            check=False,
        )
    _, _, after = done.stdout.decode("utf-8", "replace").replace("\r", "").partition("BEGIN\n")
    text, ended, code = after.rpartition("END ")
    return Said(text, int(code.split()[0])) if ended else Said(after, None)
