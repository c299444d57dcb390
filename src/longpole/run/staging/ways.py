"""The ways of moving files, by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from longpole.errors import UsageError
from longpole.model.ports import Way
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.copy import CopyWay
from longpole.run.staging.hardlink import HardlinkWay
from longpole.run.staging.http import CONNECTIONS, HttpWay
from longpole.run.staging.link import LinkWay
from longpole.run.staging.results import ResultsWay
from longpole.run.staging.ssh import SshWay


@dataclass(frozen=True, slots=True)
class Settings:
    """What ways are made of; each takes what it needs.

    Attributes:
        checksums: Whether what crosses is checked.
        url: Where the server of files listens, for ``http``.
        token: What it wants to see.
        connections: How many may be open at once, for ``http``.
        host: The submit side as ``ssh`` knows it, for ``ssh``.
        ssh_options: More options for ``ssh``.
    """

    checksums: Checksums = Checksums.ON
    url: str = ""
    token: str = ""
    connections: int = CONNECTIONS
    host: str = ""
    ssh_options: tuple[str, ...] = ()


def way_named(name: str, settings: Settings) -> Way:
    """Return a way.

    Raises:
        UsageError: There is none of this name, or the settings lack what it needs.
    """
    if name not in WAYS:
        raise UsageError(f"There is no way '{name}' of moving files; there are {', '.join(WAYS)}.")
    return WAYS[name](settings)


def _http(settings: Settings) -> Way:
    if not settings.url or not settings.token:
        raise UsageError("Staging by http needs the address of the server of files, and its token.")
    return HttpWay(
        settings.url, settings.token, checksums=settings.checksums, connections=settings.connections
    )


def _ssh(settings: Settings) -> Way:
    if not settings.host:
        raise UsageError("Staging by ssh needs a host: the one where the run keeps its files.")
    return SshWay(settings.host, options=settings.ssh_options, checksums=settings.checksums)


WAYS: Mapping[str, Callable[[Settings], Way]] = {
    "link": lambda settings: LinkWay(settings.checksums),
    "hardlink": lambda settings: HardlinkWay(settings.checksums),
    "copy": lambda settings: CopyWay(settings.checksums),
    "http": _http,
    "ssh": _ssh,
    "results": lambda settings: ResultsWay(settings.checksums),
}
