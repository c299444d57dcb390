"""Every engine keeps the promises of an engine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longpole.run.containers.runtimes import choose
from longpole.run.engines.local.engine import LocalEngine
from longpole.run.engines.local.settings import Settings
from longpole.run.engines.port import Engine
from longpole.run.memory.limits import find_limits
from longpole.run.staging.checksums import Checksums, digest_for
from longpole.run.staging.ways import Settings as Ways
from longpole.run.staging.ways import way_named
from tests.contracts.engines import EngineContract


@contextmanager
def _local(folder: Path, way: str) -> Iterator[Engine]:
    engine = LocalEngine(
        Settings(
            run_id="0123abcd",
            scratch=str(folder / "scratch"),
            output=str(folder / "output"),
            environment=dict(os.environ),
            templates={},
            kept=str(folder / "kept"),
            digest=digest_for(Checksums.ON),
            way=lambda name: way_named(name, Ways()),
            runtime=choose,
            limits=find_limits(os.getpid()),
            bring=way,
            send=way,
            workers=2,
        )
    )
    try:
        yield engine
    finally:
        engine.close()


class TestLocalByLinks(EngineContract):
    """Plain jobs are done by warm workers."""

    def make(self, folder: Path):
        return _local(folder, "link")


class TestLocalByCopies(EngineContract):
    """All jobs are done step by step."""

    def make(self, folder: Path):
        return _local(folder, "copy")
