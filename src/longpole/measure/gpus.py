"""GPUs: whether there are any, and a probe that lets a process with PyTorch measure them.

The process is another one so that we stay light, and so that a driver that fails ends it and not us. A thread
waits for what it says, so that a driver that is stuck holds neither us nor our end.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import cast

from longpole.measure.probe import LEAST_REPEATS, UnmeasurableError
from longpole.measure.startup import is_installed

RESOURCES = ("gpu", "bf16", "flops", "hbm", "pcie")
_DEVICES = ("nvidiactl", "nvidia0", "kfd", "dxg")
# One answer, to begin with the import of PyTorch; the end of a process that was killed.
_LONGEST_S, _END_S = 120.0, 5.0


def has_gpus(devices: Path = Path("/dev")) -> bool:
    """Return whether a driver of GPUs is loaded; nothing is asked of it."""
    return any((devices / name).exists() for name in _DEVICES)


class Gpus:
    """All GPUs that PyTorch sees."""

    least = LEAST_REPEATS
    on_cores = False
    remark = "The FLOPs are those of GPUs alone; they were measured one at a time."

    def __init__(self) -> None:
        """Start the process, and measure once to load what there is to load."""
        if not is_installed("torch"):
            raise UnmeasurableError("There is no PyTorch to measure GPUs with.")
        command = [sys.executable, "-m", "longpole.measure.gpu"]
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet, text=True)
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._reader = Thread(target=self._read, name="longpole GPUs", daemon=True)
        self._reader.start()
        try:
            self._names = tuple(cast("list[str]", self._answer()["gpus"]))
            self.trial()
        except BaseException:
            self.close()
            raise

    @property
    def how(self) -> str:
        """Say which GPUs."""
        return f"sum over {len(self._names)} x {self._names[0]}, one at a time, by PyTorch"

    def trial(self) -> Mapping[str, float]:
        """Measure each GPU once; their number is as sure as it can be."""
        try:
            if self._process.stdin:
                self._process.stdin.write("\n")
                self._process.stdin.flush()
        except OSError as error:
            raise UnmeasurableError("The process that measures GPUs has failed.") from error
        return {"gpu": float(len(self._names)), **cast("dict[str, float]", self._answer())}

    def close(self) -> None:
        """End the process; one that the kernel holds is left to it."""
        self._process.kill()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            return
        self._reader.join()
        with suppress(OSError), self._process:
            pass  # closes its pipes

    def _answer(self) -> dict[str, object]:
        try:
            line = self._lines.get(timeout=_LONGEST_S)
        except Empty:
            self._process.kill()
            raise UnmeasurableError(
                f"The process that measures GPUs has not answered for {_LONGEST_S:g} s: is a driver stuck?"
            ) from None
        if not line.startswith("{"):
            raise UnmeasurableError("The process that measures GPUs has failed.")
        told = json.loads(line)
        if "why" in told:
            raise UnmeasurableError(told["why"])
        return dict(told)

    def _read(self) -> None:
        """Hand on each line, and an empty one at the end."""
        for line in self._process.stdout or ():
            self._lines.put(line)
        self._lines.put("")
