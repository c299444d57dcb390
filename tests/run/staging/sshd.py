"""A real ssh server on this host, with keys of its own, for the tests of staging."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CONFIG = """
ListenAddress 127.0.0.1:{port}
HostKey {folder}/host
PidFile none
AuthorizedKeysFile {folder}/user.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
LogLevel ERROR
"""
HOST = "127.0.0.1"


@contextmanager
def ssh_server(folder: Path) -> Iterator[tuple[str, ...]]:
    """Start it for the user who runs the tests; yield the options that ``ssh`` needs to reach it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("host", "user"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(command, check=True)
    port = _free_port()
    (folder / "config").write_text(_CONFIG.format(port=port, folder=folder))
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    program = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") or "sshd"
    server = subprocess.Popen([program, "-D", "-e", "-f", str(folder / "config")], stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, server)
        key = f"{HOST if port == 22 else f'[{HOST}]:{port}'} {(folder / 'host.pub').read_text()}"
        (folder / "known").write_text(key)
        files = ("-o", f"UserKnownHostsFile={folder}/known", "-o", "GlobalKnownHostsFile=/dev/null")
        yield ("-F", "none", "-p", str(port), "-i", str(folder / "user"), "-o", "IdentitiesOnly=yes", *files)
    finally:
        server.terminate()
        server.wait()


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as found:
        port: int = found.getsockname()[1]
        return port


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(500):
        try:
            socket.create_connection((HOST, port)).close()
        except ConnectionRefusedError:
            if server.poll() is not None:
                raise RuntimeError("sshd ended at once") from None
            time.sleep(0.02)
        else:
            return
    raise RuntimeError("sshd does not listen")
