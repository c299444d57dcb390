"""What podman leaves behind is removed; images that it cannot have are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from longpole.model.containers import ContainerError, Inside
from longpole.run.containers.podman import Podman
from tests.images import make_root
from tests.parts import need
from tests.recording import SOURCE

_DRIVER = """
import subprocess, sys
from longpole.model.containers import Inside
from longpole.run.containers.podman import Podman
podman = Podman()
prepared = podman.prepare(sys.argv[1])
job = subprocess.Popen(podman.command(prepared, Inside(sys.argv[2]), ['/bin/sh', '-c', 'echo on; sleep 300']))
job.wait()
"""


@pytest.fixture
def root(tmp_path: Path) -> str:
    need("podman")
    return str(make_root(tmp_path / "root"))


def containers() -> list[str]:
    return subprocess.run(
        ["podman", "ps", "--all", "--quiet", "--filter", "label=longpole.driver"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()


def test_a_container_of_a_killed_driver_is_removed_by_the_next(root: str, tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    driver = subprocess.Popen(
        [sys.executable, "-c", _DRIVER, root, str(tmp_path / "job")],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    with driver:
        assert driver.stdout
        assert driver.stdout.readline() == "on\n"
        os.killpg(driver.pid, 9)
    left = containers()

    Podman().prepare(root)

    assert len(left) == 1
    assert containers() == []


def test_a_driver_removes_its_own_when_it_gives_the_image_back(root: str, tmp_path: Path) -> None:
    podman = Podman()
    prepared = podman.prepare(root)
    command = podman.command(prepared, Inside(str(tmp_path)), ["/bin/sh", "-c", "echo on; sleep 300"])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout
        job.stdout.readline()
        job.kill()
    left = containers()

    podman.release(prepared)

    assert len(left) == 1
    assert containers() == []


def test_an_image_that_it_does_not_have_and_cannot_fetch_is_refused() -> None:
    need("podman")

    with pytest.raises(ContainerError, match="localhost/no-such-image"):
        Podman().prepare("localhost/no-such-image")


def test_nothing_is_made_in_a_directory_that_is_an_image(root: str, tmp_path: Path) -> None:
    before = sorted(Path(root).rglob("*"))
    (tmp_path / "job").mkdir()
    podman = Podman()
    prepared = podman.prepare(root)

    command = podman.command(prepared, Inside(str(tmp_path / "job")), ["/bin/true"])
    subprocess.run(command, check=True, capture_output=True)
    podman.release(prepared)

    assert sorted(Path(root).rglob("*")) == before
