"""A real Slurm on this host for as long as standard input is open: ``slurm_daemons.py FOLDER``, as root.

Three nodes of two CPUs, accounting in a MariaDB of its own, munge to know who is who; ports are free ones,
and all files and sockets lie in FOLDER, which it removes at the end. It says ``ready`` or, in one line, what
went wrong. All that it starts, jobs included, falls back to this process when its parent ends, so that
nothing stays behind however the tests end.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from io import BufferedWriter
from pathlib import Path

NODES = ("n1", "n2", "n3")
_LIMIT_S = 60.0
_SUBREAPER = 36
_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"

# Requeues, short waits at every end, a job table that soon forgets, and usage sampled each second.
_CONF = """\
ClusterName=longpole
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
PropagateResourceLimits=NONE
MpiDefault=none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort={ports[1]}
AccountingStoragePass={folder}/munge/socket
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=0,sched_interval=1,batch_sched_delay=0,bf_interval=1
JobRequeue=1
KillWait=2
CompleteWait=0
MinJobAge=5
MessageTimeout=30
ReturnToService=2
SlurmdParameters=config_overrides
DefMemPerCPU=128
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
_NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=4096"
_DBD_CONF = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
DbdHost=localhost
DbdPort={ports[1]}
SlurmUser=root
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
"""
# Nothing of the data base has to survive, so nothing is synced.
_MARIADB = (
    *("--no-defaults", "--skip-networking", "--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M"),
    *("--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0", "--innodb-flush-method=nosync"),
)


class NotReadyError(Exception):
    """A part of it does not come up."""


class Daemons:
    """What is started, and where."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []
        self._base = folder / "db"
        self._environment = {
            **os.environ,
            "PATH": _PATH,
            "SLURM_CONF": str(folder / "slurm.conf"),
            "MYSQL_UNIX_PORT": str(self._base / "socket"),
        }

    def bring_up(self) -> None:
        """Return when jobs can be submitted.

        Raises:
            NotReadyError: A part of it did not come up.
        """
        self._configure()
        munge = self._folder / "munge"
        self._start("munged", *self._munge(munge), user="munge")
        self._start_data_base()
        self._until((munge / "socket").exists, "munged")
        self._start("slurmdbd", "-D")
        self._until(lambda: self._call("sacctmgr", "-i", "add", "cluster", "longpole")[0], "slurmdbd")
        self._start("slurmctld", "-D", "-i")
        for node in NODES:
            self._start("slurmd", "-D", "-N", node)
        idle = ("sinfo", "-hN", "-tidle", "-o%N")
        self._until(lambda: self._call(*idle)[1].split() == list(NODES), "slurmctld")

    def _configure(self) -> None:
        for name in ("state", "spool", "log"):
            (self._folder / name).mkdir()
        facts = {"folder": self._folder, "host": socket.gethostname().partition(".")[0]}
        ports = _free_ports(2 + len(NODES))
        nodes = [
            _NODE.format(name=name, port=port, **facts) for name, port in zip(NODES, ports[2:], strict=True)
        ]
        conf = _CONF.format(ports=ports, nodes="\n".join(nodes), **facts)
        (self._folder / "slurm.conf").write_text(conf)
        closed = self._folder / "slurmdbd.conf"
        closed.touch(mode=0o600)
        closed.write_text(_DBD_CONF.format(ports=ports, **facts))

    def _munge(self, folder: Path) -> list[str]:
        """Return the arguments of munged; --force, because it trusts no temporary folder."""
        key = folder / "key"
        folder.mkdir()
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        for path in (folder, key):
            shutil.chown(path, "munge", "munge")
        files = {name: folder / name for name in ("socket", "pid-file", "log-file", "seed-file")}
        named = [f"--{name}={path}" for name, path in files.items()]
        return ["--foreground", "--force", f"--key-file={key}", *named]

    def _start_data_base(self) -> None:
        self._base.mkdir(mode=0o700)
        shutil.chown(self._base, "mysql", "mysql")
        where = [f"--datadir={self._base}", f"--socket={self._base}/socket", f"--pid-file={self._base}/pid"]
        made = ("mariadb-install-db", "--no-defaults", "--user=mysql", where[0], "--skip-test-db")
        if not self._call(*made)[0]:
            raise NotReadyError(f"mariadb-install-db failed: {self._last_line('mariadb-install-db')}")
        self._start("mariadbd", *_MARIADB, *where, user="mysql")
        self._until((self._base / "socket").exists, "mariadbd")

    def _start(self, program: str, *arguments: str, user: str = "root") -> None:
        with self._log(program) as log:
            started = subprocess.Popen(
                [program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                cwd=self._folder,
                user=user,
                group=user,
                extra_groups=[],
            )
        self._started.append(started)

    def _call(self, *command: str) -> tuple[bool, str]:
        """Return whether a command succeeds, and what it says."""
        nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
        with self._log(command[0]) as log:
            done = subprocess.run(
                command, stdin=nothing, stdout=pipe, stderr=log, text=True, env=self._environment, check=False
            )
        return done.returncode == 0, done.stdout

    def _until(self, is_so: Callable[[], bool], program: str) -> None:
        deadline = time.monotonic() + _LIMIT_S
        while not is_so():
            if time.monotonic() > deadline:
                raise NotReadyError(
                    f"{program} is not ready after {_LIMIT_S:.0f} s: {self._last_line(program)}"
                )
            time.sleep(0.05)

    def _log(self, program: str) -> BufferedWriter:
        return (self._folder / "log" / program).open("ab")

    def _last_line(self, program: str) -> str:
        text = (self._folder / "log" / program).read_text(errors="replace")
        return (text.strip().splitlines() or ["it said nothing"])[-1]


def take_down() -> None:
    """End all children, then those that these leave to us, until there are none.

    A child's pid stays its own until we have waited for it, so that nobody else can be hit.
    """
    while children := list(_children()):
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        for pid in children:
            os.waitpid(pid, 0)


def _children() -> Iterator[int]:
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stat = Path(entry.path, "stat").read_text(errors="replace")
            except OSError:
                continue  # it has ended
            if int(stat.rpartition(")")[2].split()[1]) == os.getpid():
                yield int(entry.name)


def _free_ports(count: int) -> list[int]:
    with ExitStack() as opened:
        sockets = [opened.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def main(folder: Path) -> None:
    """Bring all of it up, wait until nobody needs it, and take it down."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    daemons = Daemons(folder)
    try:
        daemons.bring_up()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # what falls back to us and ends, is waited for
        print("ready", flush=True)
        sys.stdin.read()
    except (NotReadyError, OSError, LookupError) as error:
        print(str(error).replace("\n", " "), flush=True)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        take_down()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
