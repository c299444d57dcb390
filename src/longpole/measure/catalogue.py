"""The catalogue of probes: which there are, what each measures, and how one is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from longpole.errors import UsageError
from longpole.measure.cached import Cached
from longpole.measure.disk import Disk
from longpole.measure.flops import Flops
from longpole.measure.gpus import RESOURCES as GPU_RESOURCES
from longpole.measure.gpus import Gpus, has_gpus
from longpole.measure.memory import Memory
from longpole.measure.metadata import Metadata
from longpole.measure.network import Loopback, Network, address_of
from longpole.measure.probe import Probe
from longpole.measure.startup import PACKAGES, Import, Starts, is_installed

CORES = "cpu"
STARTS = ("interpreter", "process")
IMPORTS = tuple(f"import {package}" for package in PACKAGES)
NAMES = (
    *(CORES, "flops", "bf16", "memory", "gpu", "hbm", "pcie"),
    *("disk-read", "disk-write", "cached-read", "cached-write", "metadata", "loopback", "network"),
    *STARTS,
    *IMPORTS,
)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What to measure, and where.

    Attributes:
        folder: Where files are written.
        host: HOST:PORT of a sink, empty for none.
        only: The resources and overheads wanted; all that are here if empty.
    """

    folder: Path
    host: str = ""
    only: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that we know what is wanted."""
        strange = [name for name in self.only if name not in NAMES]
        if strange:
            raise UsageError(f"There is no '{strange[0]}' to measure; there are {', '.join(NAMES)}.")
        if self.host:
            address_of(self.host)
        elif "network" in self.only:
            raise UsageError(
                "'network' needs another node: give --host HOST:PORT of 'longpole machine serve'."
            )

    def wants(self, *names: str) -> bool:
        """Return whether any of these is wanted."""
        return not self.only or not set(names).isdisjoint(self.only)


@dataclass(frozen=True, slots=True)
class Entry:
    """A probe that can be made.

    Attributes:
        names: The resources or overheads it measures.
        make: Makes it; see ``Probe``.
    """

    names: tuple[str, ...]
    make: Callable[[], Probe]


def entries(wishes: Wishes) -> list[Entry]:
    """Return the probes for what is wanted and may be here, in the order in which they begin."""
    found = [*_computing(wishes), *_files(wishes), Entry(("loopback",), Loopback)]
    if wishes.host:
        found.append(Entry(("network",), partial(Network, wishes.host)))
    found.append(Entry(STARTS, Starts))
    found += [
        Entry((name,), partial(Import, package))
        for name, package in zip(IMPORTS, PACKAGES, strict=True)
        if is_installed(package) or name in wishes.only
    ]
    return [entry for entry in found if wishes.wants(*entry.names)]


def _computing(wishes: Wishes) -> list[Entry]:
    """Return the probes of processors: with GPUs, the FLOPs of the node are theirs."""
    memory = Entry(("memory",), Memory)
    if has_gpus():
        return [Entry(GPU_RESOURCES, Gpus), memory]
    asked = [name for name in GPU_RESOURCES if name in wishes.only and name != "flops"]
    return [Entry(("flops",), Flops), *([Entry(tuple(asked), Gpus)] if asked else []), memory]


def _files(wishes: Wishes) -> list[Entry]:
    return [
        Entry(("disk-write", "disk-read"), partial(Disk, wishes.folder)),
        Entry(("cached-write", "cached-read"), partial(Cached, wishes.folder)),
        Entry(("metadata",), partial(Metadata, wishes.folder)),
    ]
