"""NVIDIA GPUs by NVML, about once a second: how busy, how much memory, how much power.

The figures of a device are of the whole device, whoever uses it. Where the driver tells processes apart,
the part that belongs to the command is kept beside them, and the scope says which it is. NVML is dear (2.6 ms
a GPU on an H200, most of it for the processes), so both are asked as often as their share of a core allows.
"""

from __future__ import annotations

from time import monotonic_ns, thread_time_ns

import pynvml

from longpole.log.slots import GAUGE, GAUGE_LAYOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.journal import Journal
    from longpole.record.samplers.tree import Tree

_NAN = float("nan")
DEVICE_FIELDS = (
    ("busy", "fraction"),
    ("memory busy", "fraction"),
    ("memory used", "bytes"),
    ("power", "watts"),
)
TREE_FIELDS = (
    ("busy", "fraction"),
    ("memory busy", "fraction"),
    ("memory used", "bytes"),
    ("processes", "count"),
)
# Shares of one core that the figures of devices, and of the command on them, may take.
_DEVICE_SHARE = 0.0012
_TREE_SHARE = 0.001
# Resource numbers of GPUs, apart from those of the host.
_FIRST_NUMBER = 1000


class GpuSampler:
    """Samples every GPU of this host."""

    name = "gpu"
    period_s = 1.0

    def __init__(self, journal: Journal, tree: Tree) -> None:
        """Start NVML.

        Raises:
            pynvml.NVMLError: There is no usable driver.
        """
        pynvml.nvmlInit()
        self._journal = journal
        self._tree = tree
        self._at_ns = 0
        self._tree_at_ns = 0
        self._tree_after_ns = 0
        self._last_seen: dict[int, int] = {}
        self._last_look: dict[int, int] = {}
        count = pynvml.nvmlDeviceGetCount()
        self._devices = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(count)]
        for index, device in enumerate(self._devices):
            self._note(index, device)

    def sample(self, now_ns: int) -> None:
        """Read every device once, and when it is their turn, our processes on them."""
        began = thread_time_ns()
        for index, device in enumerate(self._devices):
            values = self._device_values(index, device)
            self._write(_FIRST_NUMBER + 2 * index, (self._at_ns or now_ns, now_ns), values)
        self._at_ns = now_ns
        self.period_s = max(1.0, (thread_time_ns() - began) / 1e9 / _DEVICE_SHARE)
        if now_ns >= self._tree_after_ns:
            self._sample_tree(now_ns)

    def _sample_tree(self, now_ns: int) -> None:
        began = thread_time_ns()
        for index, device in enumerate(self._devices):
            times = (self._tree_at_ns or now_ns, now_ns)
            self._write(_FIRST_NUMBER + 2 * index + 1, times, self._tree_values(index, device))
        self._tree_at_ns = now_ns
        self._tree_after_ns = now_ns + int((thread_time_ns() - began) / _TREE_SHARE)

    def finish(self) -> None:
        """Take a last reading of everything."""
        self._tree_after_ns = 0
        self.sample(monotonic_ns())

    def _note(self, index: int, device: Any) -> None:
        name = _text(pynvml.nvmlDeviceGetName(device))
        memory = float(pynvml.nvmlDeviceGetMemoryInfo(device).total)
        for offset, scope, fields in ((0, "device", DEVICE_FIELDS), (1, "tree", TREE_FIELDS)):
            self._journal.note(
                "resource",
                number=_FIRST_NUMBER + 2 * index + offset,
                kind="gpu",
                name=f"{name} #{index}",
                fields=[list(field) for field in fields],
                capacity=memory,
                scope=scope,
            )

    def _write(self, number: int, times: tuple[int, int], values: tuple[float, ...]) -> None:
        self._journal.slot(GAUGE_LAYOUT.pack(GAUGE, 0, 0, number, *times, *values, 0))

    def _device_values(self, index: int, device: Any) -> tuple[float, ...]:
        rates = _or_none(pynvml.nvmlDeviceGetUtilizationRates, device)
        memory = _or_none(pynvml.nvmlDeviceGetMemoryInfo, device)
        power = _or_none(pynvml.nvmlDeviceGetPowerUsage, device)
        return (
            self._device_busy(index, device, rates.gpu / 100 if rates else _NAN),
            rates.memory / 100 if rates else _NAN,
            float(memory.used) if memory else _NAN,
            power / 1000 if power is not None else _NAN,
        )

    def _device_busy(self, index: int, device: Any, now: float) -> float:
        """Return how busy a device was since it was last asked, or where the driver keeps no account, is now.

        The driver looks several times a second; its last look alone would mislead about a program with a
        rhythm of its own.
        """
        last = self._last_look.get(index, 0)
        found = _or_none(pynvml.nvmlDeviceGetSamples, device, pynvml.NVML_GPU_UTILIZATION_SAMPLES, last)
        looks = [look for look in found[1] if look.timeStamp > last] if found else []
        if not looks:
            return now
        self._last_look[index] = max(look.timeStamp for look in looks)
        return float(sum(look.sampleValue.uiVal for look in looks)) / len(looks) / 100 if last else now

    def _tree_values(self, index: int, device: Any) -> tuple[float, ...]:
        """Return what our processes do on a device; NaN where the driver does not say."""
        ours = self._tree.members
        running = _or_none(pynvml.nvmlDeviceGetComputeRunningProcesses, device) or []
        here = [process for process in running if process.pid in ours]
        memory = float(sum(process.usedGpuMemory or 0 for process in here))
        busy, memory_busy = self._tree_busy(index, device)
        return busy, memory_busy, memory, float(len(here))

    def _tree_busy(self, index: int, device: Any) -> tuple[float, float]:
        try:
            samples = pynvml.nvmlDeviceGetProcessUtilization(device, self._last_seen.get(index, 0))
        except pynvml.NVMLError_NotFound:
            samples = []  # nobody has used it since the last time
        except pynvml.NVMLError:
            return _NAN, _NAN
        self._last_seen[index] = max(
            (sample.timeStamp for sample in samples), default=self._last_seen.get(index, 0)
        )
        ours = [sample for sample in samples if sample.pid in self._tree.members]
        return (
            min(1.0, sum(sample.smUtil for sample in ours) / 100),
            min(1.0, sum(sample.memUtil for sample in ours) / 100),
        )


def _or_none(call: Any, *arguments: Any) -> Any:
    """Return what NVML answers, or nothing where this device or driver does not know."""
    try:
        return call(*arguments)
    except pynvml.NVMLError:
        return None


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)
