"""How the server of files begins, and that it ends with its driver."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from longpole.model.staging import StagingError
from longpole.run.staging.server import FileServer

_DRIVER = """
import os, sys, time
from longpole.run.staging.server import FileServer
server = FileServer([sys.argv[1]])
if len(sys.argv) > 2 and os.fork() == 0:
    time.sleep(300)
print(server.pid, os.getpid(), server.url, flush=True)
time.sleep(300)
"""


def test_it_is_gone_when_it_was_stopped(tmp_path: Path) -> None:
    server = FileServer([str(tmp_path)])
    address = urlsplit(server.url)
    server.stop()
    server.stop()

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address.hostname, address.port))
    with pytest.raises(StagingError, match="gone"):
        server.register(["/x"])


def test_its_driver_has_no_child_of_it(tmp_path: Path) -> None:
    with FileServer([str(tmp_path)]) as server:
        assert int(Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()[1]) != os.getpid()


@pytest.mark.parametrize("copies", [[], ["with a copy"]], ids=["alone", "with a copy of the driver"])
def test_it_ends_when_its_driver_is_killed(tmp_path: Path, copies: list[str]) -> None:
    command = [sys.executable, "-c", _DRIVER, str(tmp_path), *copies]
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert driver.stdout is not None
    pids = [int(word) for word in driver.stdout.readline().split()[:2]]
    server = os.pidfd_open(pids[0])
    try:
        os.kill(driver.pid, signal.SIGKILL)
        driver.wait()

        _wait_for_end(server)
    finally:
        os.close(server)
        driver.stdout.close()
        _kill_group(driver.pid)


def test_an_address_that_is_not_ours_is_told(tmp_path: Path) -> None:
    with pytest.raises(StagingError, match=r"cannot listen at 192\.0\.2\.1"):
        FileServer([str(tmp_path)], address="192.0.2.1")


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with FileServer([str(tmp_path)]) as server:
        port = urlsplit(server.url).port or 0
        with pytest.raises(StagingError, match=f"127.0.0.1:{port}"):
            FileServer([str(tmp_path)], port=port)


def _wait_for_end(pidfd: int) -> None:
    assert select.select([pidfd], [], [], 20)[0], "the server is still there"


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
