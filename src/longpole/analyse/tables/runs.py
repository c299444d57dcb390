"""The plain table of several settings: a row for each, with its times and what it used."""

from __future__ import annotations

from collections.abc import Sequence

from longpole.analyse.tables.measures import Measure
from longpole.analyse.tables.repeats import Repeats
from longpole.analyse.tables.sheet import Sheet
from longpole.analyse.tables.use_measures import USE
from longpole.model.kind_use import KindUse
from longpole.model.result_table import Heading, Like, Quantity, ResultTable
from longpole.model.run_result import RunResult
from longpole.model.run_times import RunTimes

_TIMES = {
    "end_to_end_s": "end to end",
    "compute_s": "compute",
    "stage_in_s": "stage in",
    "stage_out_s": "stage out",
    "queue_s": "in queue",
}
_STAGING = ("stage_in_s", "stage_out_s")
_CUMULATIVE = "Compute, stage in, stage out and queue are sums over jobs, many of which may go on at once."
_MEMORY = "Memory is of all processes of a run together, at its peak."


def runs_table(groups: Sequence[Repeats]) -> ResultTable:
    """Return the plain table of several settings. Times of parts come where one of the runs has parts."""
    results = [result for group in groups for result in group.runs]
    parts = any(getattr(result.times, name) is not None for result in results for name in _STAGING)
    names = list(_TIMES) if parts else ["end_to_end_s"]
    times = [_of_times(name) for name in names]
    sheet = Sheet((*times, _TASKS, *map(_of_whole, USE[1:])), groups)
    for group in groups:
        sheet.add("", group.label, group.runs)
    return sheet.finished(Like.PLAIN, "Runs", "run", [*([_CUMULATIVE] if parts else []), _MEMORY])


def _of_times(name: str) -> Measure[RunResult]:
    def value(result: RunResult) -> float | None:
        found: float | None = getattr(result.times, name)
        return found

    def why(result: RunResult) -> str:
        return result.times.reasons.get(name, "")

    return Measure(Heading(name, _TIMES[name], Quantity.SECONDS), value, why)


def _of_whole(measure: Measure[KindUse]) -> Measure[RunResult]:
    def whole(result: RunResult) -> KindUse:
        return result.use.whole if result.use is not None else KindUse("")

    def value(result: RunResult) -> float | str | None:
        return measure.value(whole(result))

    return Measure(measure.heading, value, lambda result: measure.why(whole(result)), measure.over)


def _tasks(times: RunTimes) -> float | None:
    return float(times.tasks) if times.tasks else None


_TASKS: Measure[RunResult] = Measure(
    Heading("tasks", "tasks", Quantity.COUNT),
    lambda result: _tasks(result.times),
    lambda result: "none of its tasks ran" if result.times.workflow else "a plain command has no tasks",
)
