"""What a user sees of a run while it goes, and at its end."""

from __future__ import annotations

import sys
import time

from longpole.run.assembly import Assembly
from longpole.run.request import Request


class RunView:
    """Shows one run."""

    def __init__(self, assembly: Assembly, path: str, request: Request) -> None:
        """Take what is shown."""
        self._assembly, self._path, self._request = assembly, path, request
        self._began = time.monotonic()

    def turn(self) -> None:
        """Show where the run stands, if it is time for that."""

    def end(self, json_wanted: str) -> None:
        """Say how it ended."""
        runner = self._assembly.runner
        sys.stderr.write(f"{'done' if runner.well else 'failed'} {self._path}\n")
        for failed in self._assembly.driver.failed:
            sys.stderr.write(f"{failed}\n")
