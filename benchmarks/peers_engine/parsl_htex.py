"""Parsl's HighThroughputExecutor on this machine: bash apps, and Python apps for functions."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import parsl
from asked import Asked, answer, asked, timed
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.providers import LocalProvider
from steps import nothing

LOOPBACK = "127.0.0.1"


@parsl.bash_app
def true(before: Any) -> str:  # noqa: ARG001  what it waits for
    """Return what a shell is to run."""
    return "true"


def main() -> None:
    """Run what is asked for."""
    # Its helper programs are looked up on PATH.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    what = asked()
    executor = HighThroughputExecutor(
        address=LOOPBACK,
        max_workers_per_node=what.cores,
        provider=LocalProvider(init_blocks=1, min_blocks=1, max_blocks=1),
    )
    config = Config(executors=[executor], run_dir=what.folder, strategy="none", initialize_logging=False)
    with parsl.load(config):
        app = parsl.python_app(nothing) if what.shape == "functions" else true
        for future in [app(None) for _ in range(what.cores)]:
            future.result()
        answer(timed(lambda: _work(app, what)))


def _work(app: Any, what: Asked) -> None:
    if what.shape != "chain":
        for future in [app(None) for _ in range(what.tasks)]:
            future.result()
        return
    last = app(None)
    for _ in range(what.tasks - 1):
        last = app(last)
    last.result()


if __name__ == "__main__":
    main()
