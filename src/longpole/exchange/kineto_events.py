"""The JSON of PyTorch's profiler (Kineto): which of its fields are read, and which of its events are phases.

Older traces call their categories Operator, Runtime, Kernel, Memcpy and Memset, newer ones
cpu_op, cuda_runtime, kernel, gpu_memcpy and so on. A category is known by its name, whatever its case.
"""

from __future__ import annotations

import msgspec

from longpole.exchange.trace_events import LATEST_NS, Event, Scalar, decoded, whole
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.ports import ForeignFile

# What each category becomes: first of threads, then of devices.
HOST_KINDS = {
    **dict.fromkeys(("cpu_op", "operator"), "operator"),
    "user_annotation": "annotation",
    **dict.fromkeys(("python_function", "python"), "python"),
    **dict.fromkeys(("runtime", "cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver"), "runtime"),
    **dict.fromkeys(("xpu_runtime", "xpu_driver", "mtia_runtime"), "runtime"),
    **dict.fromkeys(("privateuse1_runtime", "privateuse1_driver"), "runtime"),
    "overhead": "overhead",
}
DEVICE_KINDS = {
    "kernel": "kernel",
    **dict.fromkeys(("gpu_memcpy", "memcpy"), "memcpy"),
    **dict.fromkeys(("gpu_memset", "memset"), "memset"),
    "gpu_user_annotation": "annotation",
    "cuda_sync": "sync",
}
# What runs on a device, and is launched from a thread.
LAUNCHED = ("kernel", "memcpy", "memset")
# How long the profiler itself was at work: it is no part of the program.
WITHOUT_PLACE = ("trace",)
_STEP = "ProfilerStep"
_LOADS = ("enumerate(DataLoader)", "enumerate(DataPipe)")


class Args(
    msgspec.Struct,
    gc=False,
    rename={
        "collective": "Collective name",
        "group": "Process Group Name",
        "group_size": "Group size",
        "elements_in": "In msg nelems",
        "elements_out": "Out msg nelems",
    },
):
    """What is read of an event's arguments."""

    correlation: Scalar = None
    bytes: Scalar = None
    stream: Scalar = None
    device: Scalar = None
    name: Scalar = None
    collective: Scalar = None
    group: Scalar = None
    group_size: Scalar = None
    elements_in: Scalar = None
    elements_out: Scalar = None
    dtype: Scalar = None


class KinetoEvent(Event, gc=False):
    """One event."""

    args: Args | None = None


class Distributed(msgspec.Struct):
    """Which process of a parallel program it is."""

    rank: Scalar = None
    world_size: Scalar = None


class Gpu(msgspec.Struct):
    """A device that the program could see."""

    id: Scalar = None
    name: Scalar = None


class KinetoTrace(
    msgspec.Struct,
    rename={
        "events": "traceEvents",
        "base_ns": "baseTimeNanoseconds",
        "distributed": "distributedInfo",
        "gpus": "deviceProperties",
        "host": "host_name",
    },
):
    """A whole file; ``base_ns`` is what its times count from, in UTC."""

    events: list[KinetoEvent]
    base_ns: int | None = None
    distributed: Distributed | None = None
    gpus: list[Gpu] | None = None
    host: Scalar = None


_DECODER: msgspec.json.Decoder[KinetoTrace | list[KinetoEvent]] = msgspec.json.Decoder(
    KinetoTrace | list[KinetoEvent]
)


def read_trace(file: ForeignFile) -> KinetoTrace:
    """Return what a file holds.

    Raises:
        UnreadableFileError: It is no such file.
    """
    found = decoded(file, _DECODER)
    trace = found if isinstance(found, KinetoTrace) else KinetoTrace(events=found)
    if not 0 <= (trace.base_ns or 0) <= LATEST_NS // 2:
        raise UnreadableFileError(
            f"{file.name} cannot be read: its baseTimeNanoseconds is {trace.base_ns}, which cannot be."
        )
    return trace


def kind_of(category: Scalar, name: Scalar) -> str:
    """Return the kind of phase that an event with a length becomes, empty for none.

    Examples:
        >>> kind_of("cpu_op", "aten::add"), kind_of("Operator", "ProfilerStep#5"), kind_of("Trace", "")
        ('operator', 'step', '')
    """
    called = str(category).lower()
    kind = HOST_KINDS.get(called, "")
    if kind in ("operator", "annotation") and isinstance(name, str):
        if name.startswith(_STEP):
            return "step"
        if name.startswith(_LOADS):
            return "data"
    return kind or DEVICE_KINDS.get(called, "")


def is_of_device(category: Scalar) -> bool:
    """Return whether events of a category run on a device, and not on a thread."""
    return str(category).lower() in DEVICE_KINDS


def correlation_of(event: KinetoEvent) -> int | None:
    """Return what joins a launch and what it launched; 0 joins nothing."""
    value = None if event.args is None else event.args.correlation
    if isinstance(value, str):
        value = whole(value)
    if value is None or isinstance(value, bool) or not 0 < value < float("inf"):
        return None
    return int(value)
