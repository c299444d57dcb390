"""How GPUs were used: by the run where the driver tells processes apart, else by anyone.

Method: busy is the mean over the sampled time, memory the largest sample. Samples come about once a second,
so shorter peaks are not seen. The scope says whose use it is: ``tree`` the run's processes', ``device``
everyone's.
"""

from __future__ import annotations

from longpole.analyse.values import Row, number, whole, word
from longpole.model.columns import Columns
from longpole.model.execution import Scope
from longpole.model.overview import GpuUse


def gpu_use(samples: Columns) -> tuple[GpuUse, ...]:
    """Return every GPU that was sampled, by name.

    Args:
        samples: Columns ``host``, ``name``, ``scope``, ``metric``, ``amount`` (value times seconds, summed),
            ``covered_s`` (of what is known) and ``peak``, one row per GPU, scope and metric.
    """
    gpus: dict[tuple[object, str], dict[tuple[str, str], Row]] = {}
    for row in samples.records():
        metrics = gpus.setdefault((row["host"], word(row["name"])), {})
        metrics[word(row["scope"]), word(row["metric"])] = row
    return tuple(
        _use(name, metrics) for (_, name), metrics in sorted(gpus.items(), key=lambda item: str(item[0]))
    )


def _use(name: str, metrics: dict[tuple[str, str], Row]) -> GpuUse:
    scope = Scope.TREE if _busy(metrics.get((Scope.TREE, "busy"))) is not None else Scope.DEVICE
    memory = metrics.get((scope, "memory used"))
    return GpuUse(
        name=name,
        busy_percent=_busy(metrics.get((scope, "busy"))),
        peak_memory_bytes=whole(memory["peak"]) if memory else None,
        scope=scope,
    )


def _busy(row: Row | None) -> float | None:
    if row is None:
        return None
    amount, covered = number(row["amount"]), number(row["covered_s"])
    return 100 * amount / covered if amount is not None and covered else None
