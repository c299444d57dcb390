"""What tables measure of kinds of job, and of whole runs: time, CPU, memory, bytes, GPUs."""

from __future__ import annotations

from collections.abc import Callable

from longpole.analyse.tables.measures import Measure, Over
from longpole.model.kind_use import KindUse
from longpole.model.result_table import Heading, Quantity, Scale

_UNKNOWN = "it took no time, as far as is known"
# Which field tells why a measure is missing, where that is not its own name.
_WHY = {"cpu_percent": ("cpu_s", "time_s"), "gpu_percent": ("gpu_percent", "time_s")}


def use_measure(name: str, title: str, quantity: Quantity, scale: Scale = Scale.FREE) -> Measure[KindUse]:
    """Return a measure of a field of ``KindUse``; GPU memory is the most of all repeats."""
    over = Over.MOST if name == "peak_gpu_memory_bytes" else Over.MEAN
    return Measure(Heading(name, title, quantity, scale), lambda use: _value(use, name), _why(name), over)


def _value(use: KindUse, name: str) -> float | None:
    found = getattr(use, name)
    return None if found is None else float(found)


def _why(name: str) -> Callable[[KindUse], str]:
    fields = _WHY.get(name, (name,))
    return lambda use: next((use.reasons[one] for one in fields if one in use.reasons), _UNKNOWN)


USE = (
    use_measure("time_s", "time", Quantity.SECONDS),
    use_measure("cpu_percent", "CPU %", Quantity.PERCENT),
    use_measure("peak_memory_bytes", "memory", Quantity.BYTES),
    use_measure("read_bytes", "read", Quantity.BYTES),
    use_measure("written_bytes", "written", Quantity.BYTES),
    use_measure("gpu_percent", "GPU %", Quantity.PERCENT),
    use_measure("peak_gpu_memory_bytes", "GPU mem", Quantity.BYTES),
)
LIKE_PAPER = (
    use_measure("read_bytes", "read", Quantity.BYTES, Scale.MEGABYTES),
    use_measure("written_bytes", "written", Quantity.BYTES, Scale.MEGABYTES),
    use_measure("cpu_percent", "CPU %", Quantity.PERCENT),
    use_measure("peak_memory_bytes", "memory", Quantity.BYTES, Scale.GIGABYTES),
    use_measure("gpu_percent", "GPU %", Quantity.PERCENT),
    use_measure("peak_gpu_memory_bytes", "GPU mem", Quantity.BYTES, Scale.GIGABYTES),
    use_measure("time_s", "time", Quantity.SECONDS, Scale.SECONDS),
)
