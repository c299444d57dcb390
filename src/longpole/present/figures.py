"""The figures of a run: one line each, the number first and then what it means."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from longpole.model.overview import GpuUse, HostUse, Overview
from longpole.model.text import visible
from longpole.units import show_bytes, show_seconds

Line = tuple[str, str, str]
_WHOSE = {"tree": "by this run", "device": "by anyone on it"}


def figures(overview: Overview) -> Table | None:
    """Return CPU, memory, bytes, GPUs, the host, and what recording cost; nothing if none is known."""
    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(style="label", no_wrap=True, min_width=10)
    grid.add_column(justify="right", style="figure", no_wrap=True, min_width=9)
    grid.add_column()
    for label, figure, meaning in _lines(overview):
        grid.add_row(Text(f" {label}"), Text(figure), Text(visible(meaning)))
    return grid if grid.row_count else None


def _lines(overview: Overview) -> Iterator[Line]:
    if overview.told and overview.cpu_user_s is None:
        return
    yield _cpu(overview)
    if overview.told:
        return
    yield "Memory", _size(overview.peak_memory_bytes), "at the peak of all processes together"
    yield _moved("Read", overview.read_bytes, overview.storage_read_bytes, "from storage")
    yield _moved("Written", overview.written_bytes, overview.storage_written_bytes, "to storage")
    for gpu in overview.gpus:
        yield _gpu(gpu)
    if overview.host is not None:
        yield from _host(overview.host)
    yield _recording(overview)


def _cpu(overview: Overview) -> Line:
    user_s, system_s = overview.cpu_user_s, overview.cpu_system_s
    if user_s is None or (system_s is None and not overview.told):
        return "CPU", "?", "not known"
    spent = user_s + (system_s or 0.0)
    parts = "user and system together"
    if system_s is not None:
        parts = f"{show_seconds(user_s)} user, {show_seconds(system_s)} system"
    if not overview.makespan_s:
        return "CPU", show_seconds(spent), parts
    average = f"{spent / overview.makespan_s:.2f}"
    of = f" of {overview.cores}" if overview.cores else ""
    return "CPU", show_seconds(spent), f"{average}{of} cores on average; {parts}"


def _moved(label: str, calls: int | None, storage: int | None, where: str) -> Line:
    return label, _size(calls), f"by system calls; {_size(storage)} {where}"


def _gpu(gpu: GpuUse) -> Line:
    memory = "" if gpu.peak_memory_bytes is None else f", {show_bytes(gpu.peak_memory_bytes)} at the peak"
    return "GPU", _percent(gpu.busy_percent), f"busy, {_WHOSE.get(gpu.scope, gpu.scope)}{memory}: {gpu.name}"


def _host(host: HostUse) -> Iterator[Line]:
    others = _percent(host.others_cpu_percent)
    yield "Host", _percent(host.cpu_busy_percent), f"of its cores busy, {others} by others than this run"
    parts = []
    if host.network_rx_bytes is not None and host.network_tx_bytes is not None:
        parts.append(
            f"network {show_bytes(host.network_rx_bytes)} in, {show_bytes(host.network_tx_bytes)} out"
        )
    if host.disk_read_bytes is not None and host.disk_written_bytes is not None:
        parts.append(
            f"disk read {show_bytes(host.disk_read_bytes)}, wrote {show_bytes(host.disk_written_bytes)}"
        )
    if parts:
        yield "", "", "; ".join(parts)


def _recording(overview: Overview) -> Line:
    cost = overview.recording
    if cost is None or cost.cpu_s is None:
        return "Recording", "?", "its cost is not known"
    return (
        "Recording",
        _percent(cost.percent),
        f"of one core: {show_seconds(cost.cpu_s)} of CPU, start-up included",
    )


def _size(size: int | None) -> str:
    return "?" if size is None else show_bytes(size)


def _percent(value: float | None) -> str:
    if value is None:
        return "?"
    return f"{value:.1f} %" if value < 9.95 else f"{value:.0f} %"
