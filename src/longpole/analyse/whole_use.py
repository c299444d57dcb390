"""What a whole run used, from its overview, as one row of a table."""

from __future__ import annotations

from collections.abc import Sequence

from longpole.analyse.job_gpus import NOT_SAMPLED, NOT_USED
from longpole.analyse.use_reasons import Teller
from longpole.analyse.values import plus, whole
from longpole.model.kind_use import KindUse
from longpole.model.overview import GpuUse, Overview

WHOLE = "whole run"
_SUMS = ("cpu_s", "read_bytes", "written_bytes")


def whole_use(
    overview: Overview, end_to_end_s: float | None, teller: Teller, kinds: Sequence[KindUse]
) -> KindUse:
    """Return what a run used, what belongs to no job included.

    Where another system told of its jobs only, the sum over these is all that is known.
    """
    figures: dict[str, float | None] = {
        "time_s": end_to_end_s,
        "cpu_s": plus([overview.cpu_user_s, overview.cpu_system_s]),
        "read_bytes": overview.read_bytes,
        "written_bytes": overview.written_bytes,
        "peak_memory_bytes": overview.peak_memory_bytes,
    }
    if teller.only_told:
        figures |= {name: _told_by_kind(kinds, name) for name in _SUMS if figures[name] is None}
    used = [gpu for gpu in overview.gpus if gpu.busy_percent or gpu.peak_memory_bytes]
    reasons = {name: teller.why_whole(name) for name, value in figures.items() if value is None}
    if teller.only_told and not any(kind.peak_memory_bytes for kind in kinds):
        reasons["peak_memory_bytes"] = teller.why_whole("cpu_s")
    gpus = _on_gpus(used, end_to_end_s) if used else (None, None, None)
    if not used:
        reason = teller.why_no_gpu(NOT_USED if overview.gpus else NOT_SAMPLED)
        reasons |= {"gpu_percent": reason, "peak_gpu_memory_bytes": reason}
    return KindUse(
        name=WHOLE,
        jobs=sum(kind.jobs for kind in kinds),
        time_s=end_to_end_s,
        cpu_s=figures["cpu_s"],
        peak_memory_bytes=overview.peak_memory_bytes,
        read_bytes=whole(figures["read_bytes"]),
        written_bytes=whole(figures["written_bytes"]),
        gpu_s=gpus[0],
        gpu_time_s=gpus[1],
        peak_gpu_memory_bytes=gpus[2],
        reasons=reasons,
    )


def _told_by_kind(kinds: Sequence[KindUse], name: str) -> float | None:
    """Return what kinds used together; None if it is not known of one of them."""
    values: list[float | None] = [getattr(kind, name) for kind in kinds if name not in kind.partial]
    return plus(values) if len(values) == len(kinds) and None not in values else None


def _on_gpus(used: list[GpuUse], took_s: float | None) -> tuple[float | None, float | None, int | None]:
    """Return busy and held GPU seconds, and the most memory of one GPU."""
    peak = max((gpu.peak_memory_bytes or 0 for gpu in used), default=0)
    busy = plus([gpu.busy_percent for gpu in used])
    if busy is None or not took_s:
        return None, None, peak
    return busy / 100 * took_s, len(used) * took_s, peak
