"""Parts of the real world that some tests meet: who is here, and what to do about who is not.

``need("gcc")`` at the start of a test skips it, with the reason, where there is no gcc; but where the
environment says ``LONGPOLE_REQUIRE=gcc,slurm``, absence is a failure. A probe tries the part where it can.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import socket
import struct
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

import pytest

from longpole.run.memory.limits import find_limits
from tests import trace_processor
from tests.recording import AS_NOBODY, python_for_nobody

REQUIRE = "LONGPOLE_REQUIRE"


def need(*names: str) -> None:
    """Skip the running test unless all these parts are here; fail it if the environment requires them."""
    for name in names:
        reason = absence(name)
        if reason and name in required():
            pytest.fail(f"{REQUIRE} names '{name}', but {reason}", pytrace=False)
        if reason:
            pytest.skip(f"needs '{name}': {reason}", allow_module_level=True)


def required() -> frozenset[str]:
    """Return the parts that the environment requires."""
    names = frozenset(filter(None, os.environ.get(REQUIRE, "").replace(" ", "").split(",")))
    if unknown := names - PROBES.keys():
        raise LookupError(f"{REQUIRE} names {sorted(unknown)}; the parts are {sorted(PROBES)}")
    return names


@cache
def absence(name: str) -> str:
    """Return why a part is not here, or an empty string."""
    return PROBES[name]()


def _root() -> str:
    return "" if os.geteuid() == 0 else "this is not root"


def _nobody() -> str:
    try:
        pwd.getpwnam("nobody")
    except KeyError:
        return "there is no user 'nobody'"
    return _root() or _fails("setpriv", "--reuid=nobody", "--clear-groups", "true")


def _libraries_for_nobody() -> str:
    """Let nobody import what the command line needs: ours may be of another Python, or in a closed home."""
    checked = "import click, duckdb, msgspec, numpy, rich, yaml"
    environment = {"PYTHONPATH": sysconfig.get_path("purelib")}
    try:
        command = [*AS_NOBODY, python_for_nobody(), "-c", checked]
    except LookupError as error:
        return str(error)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)
    said = (done.stderr.strip().splitlines() or [""])[-1]
    return f"nobody cannot import our libraries: {said}" if done.returncode else ""


def _gcc() -> str:
    return _fails("gcc", "--version")


def _graphviz() -> str:
    return _fails("dot", "-V")


def _userns() -> str:
    return _fails("unshare", "--user", "--map-root-user", "true")


def _bwrap() -> str:
    return _fails("bwrap", "--ro-bind", "/", "/", "--unshare-all", "true")


def _squashfs() -> str:
    """Look for what packs an image, and for what mounts one: a loop device, or FUSE."""
    return _fails("mksquashfs", "-version") or _root() or _fails("losetup", "--find")


def _podman() -> str:
    """Run a container over an empty directory: that its program is not found is the right complaint."""
    limits = ("--ulimit=nofile=100:100", "--ulimit=nproc=100:100")
    with tempfile.TemporaryDirectory() as folder:
        where = ("--network=host", "--rootfs", f"{folder}:O")
        said = _fails("podman", "run", "--rm", *limits, *where, "/no-program")
    return "" if " exits with 127: " in said else said


def _memory_cgroup() -> str:
    found = find_limits(os.getpid())
    found.close()
    return "no control group for memory is open to us" if found.how == "watched" else ""


def _uml() -> str:
    return _fails("linux.uml", "--version")


def _fuse() -> str:
    """Look for what lets an ordinary user mount an image; the device itself may be closed to them."""
    missing = [tool for tool in ("squashfuse", "fusermount3", "unshare") if not _which(tool)]
    return f"there is no {', '.join(missing)}" if missing else _nobody()


def _sshd() -> str:
    missing = [tool for tool in ("ssh", "sshd", "ssh-keygen", "tar") if not _which(tool)]
    return f"there is no {', '.join(missing)}" if missing else ""


def _btrfs() -> str:
    if "\tbtrfs\n" not in Path("/proc/filesystems").read_text():
        return "the kernel has no btrfs"
    return _root() or _fails("mkfs.btrfs", "--version")


def _slurm() -> str:
    daemons = ("slurmctld", "slurmd", "slurmdbd", "munged", "mariadbd", "mariadb-install-db")
    missing = [tool for tool in (*daemons, "sbatch", "sacct") if not _which(tool)]
    return f"there is no {', '.join(missing)}" if missing else _root() or _nobody()


def _perfetto() -> str:
    return trace_processor.missing()


def _spark() -> str:
    return _modules("pyspark") or _fails("java", "-version")


def _fanotify() -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    notify_only, read_only = 0, os.O_RDONLY
    group = libc.fanotify_init(notify_only, read_only)
    if group < 0:
        return f"fanotify_init fails: {os.strerror(ctypes.get_errno())}"
    add_to_mount, opens, here = 0x01 | 0x10, ctypes.c_uint64(0x20), -100
    failed = libc.fanotify_mark(group, add_to_mount, opens, here, b"/")
    reason = f"fanotify_mark fails: {os.strerror(ctypes.get_errno())}" if failed else ""
    os.close(group)
    return reason


def _taskstats() -> str:
    """Ask the kernel for the family TASKSTATS, then for the exit records of CPU 0 until the socket closes."""
    get_family, family_name, family_id = 3, 2, 1
    get_stats, register_cpus = 1, 3
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16) as netlink:
            netlink.settimeout(5)
            netlink.bind((0, 0))
            attributes = _generic(netlink, 16, get_family, (family_name, b"TASKSTATS\0"))
            (family,) = struct.unpack_from("=H", attributes[family_id])
            _generic(netlink, family, get_stats, (register_cpus, b"0\0"))
    except OSError as error:
        return f"taskstats does not answer: {error}"
    return ""


def _generic(
    netlink: socket.socket, family: int, command: int, attribute: tuple[int, bytes]
) -> dict[int, bytes]:
    """Send one generic netlink request; return the attributes of its answer, none for an acknowledgement."""
    kind, value = attribute
    padded = value + bytes(-len(value) % 4)
    body = struct.pack("=BBxxHH", command, 1, 4 + len(value), kind) + padded
    request, acknowledge = 0x01, 0x04
    netlink.send(struct.pack("=IHHII", 16 + len(body), family, request | acknowledge, 1, 0) + body)
    answer = netlink.recv(65536)
    if struct.unpack_from("=H", answer, 4)[0] == 2:
        (error,) = struct.unpack_from("=i", answer, 16)
        if error:
            raise OSError(-error, os.strerror(-error))
        return {}
    netlink.recv(65536)  # the acknowledgement that follows an answer
    (length,) = struct.unpack_from("=I", answer)
    return dict(_attributes(answer[20:length]))


def _attributes(payload: bytes) -> list[tuple[int, bytes]]:
    found = []
    while len(payload) >= 4:
        length, kind = struct.unpack_from("=HH", payload)
        found.append((kind, payload[4:length]))
        payload = payload[length + -length % 4 :]
    return found


def _modules(*names: str) -> str:
    """Look for modules without importing them: a framework would change this process."""
    missing = [name for name in names if find_spec(name) is None]
    return f"there is no module {', '.join(missing)}" if missing else ""


def _cuda() -> str:
    return _modules("torch") or ("" if Path("/dev/nvidia0").exists() else "there is no NVIDIA GPU")


def _fails(*command: str) -> str:
    """Return how a command fails, or an empty string."""
    program = _which(command[0])
    if program is None:
        return f"there is no {command[0]}"
    done = subprocess.run([program, *command[1:]], capture_output=True, text=True, timeout=30, check=False)
    said = (done.stderr.strip().splitlines() or [""])[-1]
    return f"'{' '.join(command)}' exits with {done.returncode}: {said}" if done.returncode else ""


def _which(tool: str) -> str | None:
    """Return the path of a tool; daemons are where an ordinary user's PATH does not look."""
    return shutil.which(tool, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin")


PROBES: dict[str, Callable[[], str]] = {
    "root": _root,
    "nobody": _nobody,
    "nobody-libraries": _libraries_for_nobody,
    "gcc": _gcc,
    "graphviz": _graphviz,
    "userns": _userns,
    "bwrap": _bwrap,
    "squashfs": _squashfs,
    "podman": _podman,
    "fuse": _fuse,
    "uml": _uml,
    "memory-cgroup": _memory_cgroup,
    "slurm": _slurm,
    "sshd": _sshd,
    "btrfs": _btrfs,
    "wget": partial(_fails, "wget", "--version"),
    "latex": partial(_fails, "pdflatex", "--version"),
    "perfetto": _perfetto,
    "spark": _spark,
    "fanotify": _fanotify,
    "taskstats": _taskstats,
    **{
        name: partial(_modules, name)
        for name in ("torch", "keras", "lightning", "sklearn", "optuna", "joblib", "snakemake")
    },
    "cuda": _cuda,
    "cluster-generic": partial(_modules, "snakemake_executor_plugin_cluster_generic"),
    "slurm-executor": partial(
        _modules, "snakemake_executor_plugin_slurm", "snakemake_executor_plugin_slurm_jobstep"
    ),
    "jupyter": partial(_modules, "ipykernel", "jupyter_client"),
    "nbclient": partial(_modules, "nbclient", "nbformat"),
    "matplotlib": partial(_modules, "matplotlib"),
    "pillow": partial(_modules, "PIL"),
}
