"""Every container runtime keeps the promises of a runtime."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from longpole.model.ports import Runtime
from longpole.run.containers.bwrap import Bubblewrap
from longpole.run.containers.mounts import Mounts
from longpole.run.containers.none import NoContainer
from longpole.run.containers.podman import Podman
from tests.contracts.runtimes import ContainerContract, RuntimeContract
from tests.images import images
from tests.parts import need
from tests.recording import Someone

REFERENCE = "localhost/longpole-test"


@pytest.fixture(scope="module")
def image_folder() -> Iterator[Path]:
    with images() as folder:
        yield folder


class TestNoContainer(RuntimeContract):
    def make(self) -> Runtime:
        return NoContainer()

    def image(self, folder: Path) -> str:
        return ""

    @pytest.fixture
    def someone(self, anyone: Someone) -> Someone:
        return anyone


class TestBubblewrapOverADirectory(ContainerContract):
    def make(self) -> Runtime:
        need("bwrap")
        return Bubblewrap()

    def image(self, folder: Path) -> str:
        return str(folder / "root")

    @pytest.fixture
    def someone(self, anyone: Someone) -> Someone:
        return anyone


class TestBubblewrapOverASquashfs(ContainerContract):
    @pytest.fixture
    def runtime(self, tmp_path: Path) -> Runtime:
        need("bwrap", "squashfs")
        return Bubblewrap(Mounts(str(tmp_path / "mounts")))

    def image(self, folder: Path) -> str:
        return str(folder / "root.image")


class TestPodmanOverADirectory(ContainerContract):
    @pytest.fixture
    def runtime(self, tmp_path: Path) -> Runtime:
        need("podman")
        return Podman(Mounts(str(tmp_path / "mounts")))

    def image(self, folder: Path) -> str:
        return str(folder / "root")


class TestPodmanOverASquashfs(TestPodmanOverADirectory):
    def image(self, folder: Path) -> str:
        need("squashfs")
        return str(folder / "root.image")


class TestPodmanOverAnImportedImage(TestPodmanOverADirectory):
    @pytest.fixture
    def runtime(self, tmp_path: Path, imported: None) -> Runtime:
        return Podman(Mounts(str(tmp_path / "mounts")))

    def image(self, folder: Path) -> str:
        return REFERENCE


@pytest.fixture(scope="module")
def imported(image_folder: Path) -> Iterator[None]:
    """An image that podman has, and no registry."""
    need("podman")
    packing = ["tar", "-C", str(image_folder / "root"), "-c", "."]
    with subprocess.Popen(packing, stdout=subprocess.PIPE) as packed:
        importing = ["podman", "import", "--quiet", "-", REFERENCE]
        subprocess.run(importing, stdin=packed.stdout, check=True, capture_output=True)
    yield
    subprocess.run(["podman", "rmi", "--force", REFERENCE], check=False, capture_output=True)
