"""Every way of moving files keeps the promises of a way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest

from longpole.model.ports import Way
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.copy import CopyWay
from longpole.run.staging.hardlink import HardlinkWay
from longpole.run.staging.http import HttpWay
from longpole.run.staging.link import LinkWay
from longpole.run.staging.results import ResultsWay
from longpole.run.staging.server import FileServer
from longpole.run.staging.ssh import SshWay
from tests.contracts.ways import CopyContract, WayContract
from tests.parts import need
from tests.run.staging.sshd import HOST, ssh_server


class TestLink(WayContract):
    def make(self, kept: Path, checksums: Checksums) -> AbstractContextManager[Way]:
        return nullcontext(LinkWay(checksums))


class TestHardlink(WayContract):
    def make(self, kept: Path, checksums: Checksums) -> AbstractContextManager[Way]:
        return nullcontext(HardlinkWay(checksums))


class TestCopy(CopyContract):
    def make(self, kept: Path, checksums: Checksums) -> AbstractContextManager[Way]:
        return nullcontext(CopyWay(checksums))


class TestResults(CopyContract):
    def make(self, kept: Path, checksums: Checksums) -> AbstractContextManager[Way]:
        return nullcontext(ResultsWay(checksums))


class TestHttp(CopyContract):
    @contextmanager
    def make(self, kept: Path, checksums: Checksums) -> Iterator[Way]:
        with FileServer([str(kept)]) as server:
            yield HttpWay(server.url, server.token, checksums=checksums)


@pytest.fixture(scope="module")
def ssh_options(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    need("sshd")
    with ssh_server(tmp_path_factory.mktemp("sshd")) as options:
        yield options


class TestSsh(CopyContract):
    @pytest.fixture(autouse=True)
    def _server(self, ssh_options: tuple[str, ...]) -> None:
        self.options = ssh_options

    def make(self, kept: Path, checksums: Checksums) -> AbstractContextManager[Way]:
        return nullcontext(SshWay(HOST, options=self.options, checksums=checksums))
