"""The task view: each kind of task under its own ceilings, and where the makespan went.

Method: the least time of one task is the greatest of its least times on each resource and of its
overheads; its efficiency is that over the mean time it took. It leaves out that tasks run at once may slow
each other down: the least time is that of a task alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from longpole.analyse.ceilings import least_task_seconds
from longpole.model.case import Case, Dot, TaskKind
from longpole.model.resources import BETWEEN, RESOURCES, overhead_label
from longpole.model.roofline import Breakdown, Part, TaskView


def task_view_of(case: Case) -> tuple[TaskView, ...]:
    """Return the tasks of every dot that tells of them; without one, of the case itself."""
    told = [dot for dot in case.dots if dot.kinds]
    if not told:
        times = {kind.name: kind.seconds for kind in case.kinds if kind.seconds is not None}
        return _views(case, case.dots[0].name if case.dots else "", times)
    return tuple(view for dot in told for view in _views(case, dot.name, dot.kinds))


def breakdowns_of(case: Case) -> tuple[Breakdown, ...]:
    """Return where the makespans of dots went, as far as they tell; what they do not tell is the rest."""
    return tuple(Breakdown(dot.name, _parts(dot)) for dot in case.dots if dot.parts)


def label_of(resource: str) -> str:
    """Return what people call a resource or an overhead."""
    return RESOURCES[resource].label if resource in RESOURCES else overhead_label(resource)


def _views(case: Case, dot: str, times: Mapping[str, float]) -> tuple[TaskView, ...]:
    whole = sum(kind.count * times.get(kind.name, 0.0) for kind in case.kinds)
    return tuple(_view(case, kind, dot, (times.get(kind.name), whole)) for kind in case.kinds)


def _view(case: Case, kind: TaskKind, dot: str, time: tuple[float | None, float]) -> TaskView:
    took, whole = time
    times = least_task_seconds(kind, case.machine)
    least = {name: seconds for name, seconds in times.items() if name not in BETWEEN}
    bound = max(least, key=lambda name: least[name], default="")
    seconds = least.get(bound, 0.0)
    return TaskView(
        name=kind.name,
        dot=dot,
        count=kind.count,
        nodes=kind.nodes,
        seconds=took,
        least_seconds=seconds,
        bound=label_of(bound) if seconds > 0 else "",
        efficiency=seconds / took if took and seconds > 0 else None,
        share=kind.count * took / whole if took is not None and whole > 0 else None,
    )


def _parts(dot: Dot) -> tuple[Part, ...]:
    told = dict(dot.parts)
    rest = dot.makespan_s - sum(told.values())
    if rest > 0.005 * dot.makespan_s:
        told["the rest"] = rest
    return tuple(Part(name, seconds, seconds / dot.makespan_s) for name, seconds in told.items())
