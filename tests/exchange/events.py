"""Trace events made by hand, as PyTorch's profiler and others write them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from longpole.model.told import Told
from tests.exchange.foreign import Given, given

PID, GPU, STREAM = 100, 0, 7
_ENCODER = msgspec.json.Encoder(decimal_format="number")

Row = dict[str, Any]


def event(cat: str, name: str, ts: str, dur: str = "1", **more: Any) -> Row:
    """An event of the process's first thread; times are microseconds as they stand in the file."""
    times = {"ts": Decimal(ts), "dur": Decimal(dur)}
    return {"ph": "X", "cat": cat, "name": name, "pid": PID, "tid": PID, **times, **more}


def call(ts: str, dur: str, correlation: float, **more: Any) -> Row:
    """A call that launches something."""
    return event("cuda_runtime", "cudaLaunchKernel", ts, dur, args={"correlation": correlation}, **more)


def on_gpu(cat: str, name: str, ts: str, dur: str, correlation: float, **args: Any) -> Row:
    """Something that runs on a stream of a GPU."""
    known = {"device": GPU, "stream": STREAM, "correlation": correlation, **args}
    return event(cat, name, ts, dur, pid=GPU, tid=STREAM, args=known)


def trace(*events: Row, name: str = "rank0.json", **header: Any) -> Given:
    """A file of these events; the header is what stands beside them."""
    return given(_ENCODER.encode({"schemaVersion": 1, **header, "traceEvents": list(events)}), name)


def small() -> tuple[Row, ...]:
    """Two steps, each with an operator that launches a kernel; the second also copies memory."""
    return (
        event("user_annotation", "ProfilerStep#1", "1000", "100"),
        event("cpu_op", "aten::mm", "1010", "50"),
        call("1020", "10", 1),
        on_gpu("kernel", "gemm", "1040", "80", 1),
        event("user_annotation", "ProfilerStep#2", "1100", "100"),
        event("user_annotation", "enumerate(DataLoader)#_Iter.__next__", "1105", "20"),
        call("1130", "5", 2),
        on_gpu("gpu_memcpy", "Memcpy HtoD", "1140", "10.5", 2, bytes=4096),
    )


def rows(told: Told, table: str = "phases") -> list[Row]:
    """The rows of a table."""
    return list(told.tables[table].records())


def by_name(told: Told) -> dict[Any, Row]:
    """The phases by name."""
    return {row["name"]: row for row in rows(told)}
