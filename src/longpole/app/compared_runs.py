"""One run, read for a comparison: its times, what it is told apart by, and why it is left out if it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from longpole.analyse.values import number
from longpole.app.run_times import run_times_of
from longpole.errors import DamagedRunError
from longpole.model.comparison import ComparedRun, Metric
from longpole.model.execution import Metric as Total
from longpole.model.execution import Scope
from longpole.model.run_times import RunTimes
from longpole.store.run import StoredRun, open_run
from longpole.store.selection import RunEntry

# Facts that every run has; all others are parameters of its workflow.
COMMON = ("placement", "name", "series", "workflow", "machine")
_BEGAN = "SELECT start_ns FROM phases WHERE id = 1 AND kind = 'run'"
_HOSTS = "SELECT string_agg(DISTINCT name, ', ' ORDER BY name) AS names FROM hosts"
_CPU = f"""
    SELECT sum(value) / 1e9 AS seconds FROM totals
    WHERE scope = '{Scope.RUN}' AND metric IN ('{Total.CPU_USER}', '{Total.CPU_SYSTEM}')
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a run.

    Attributes:
        run: Its id.
        facts: What it can be told apart by: placement, name, series, workflow, machine, and parameters.
        known: Whether these are all; of a run that cannot be read, or whose driver never told anything, only
            its name and series are there.
        times: Its times; None if it cannot be read.
        began_s: When it began, in seconds of UTC.
        why: Why it cannot be compared; empty if it can.
        seconds: Its times by which it can be compared, as far as they are known.
    """

    run: str
    facts: Mapping[str, str]
    known: bool = False
    times: RunTimes | None = None
    began_s: float | None = None
    why: str = ""
    seconds: Mapping[Metric, float] = field(default_factory=dict)

    @property
    def has_tasks(self) -> bool:
        """Whether it is the run of a workflow, which computes and stages."""
        return self.times is not None and bool(self.times.workflow or self.times.tasks)


def look_at(entry: RunEntry, tell: Callable[[int], None]) -> Seen:
    """Return what is known of a run; ``tell`` is called once it has been read."""
    manifest = entry.manifest
    facts = {"placement": "", "name": manifest.name, "series": manifest.series, "workflow": "", "machine": ""}
    try:
        with open_run(entry.path) as stored:
            found = _seen(stored, facts)
    except DamagedRunError as error:
        found = Seen(manifest.id, facts, why=str(error).rstrip("."))
    tell(1)
    return found


def compared_run(seen: Seen, group: str, keys: Sequence[str]) -> ComparedRun:
    """Return a run as the analysis takes it; what makes its group is not told again."""
    assert seen.times is not None, "a run without times is left out"
    apart = (*keys, "name", "series", "machine")
    settings = {name: value for name, value in seen.facts.items() if name not in apart and value}
    return ComparedRun(
        run=seen.run,
        group=group,
        began_s=seen.began_s,
        seconds=seen.seconds,
        machine=seen.facts["machine"],
        settings=settings,
        cached=seen.times.cached,
        retries=seen.times.retries,
    )


def _seen(stored: StoredRun, facts: Mapping[str, str]) -> Seen:
    times = run_times_of(stored)
    began, cpu = stored.query(_BEGAN)["start_ns"], number(stored.query(_CPU)["seconds"][0])
    began_ns = number(next(iter(began), None))
    told = {"placement": times.placement, "workflow": times.workflow}
    told["machine"] = str(stored.query(_HOSTS)["names"][0] or "")
    why = _why_not(stored, times)
    return Seen(
        run=times.run,
        facts={**times.parameters, **facts, **told},
        known=not why or bool(times.workflow) or not stored.manifest.joint,
        times=times,
        began_s=None if began_ns is None else began_ns / 1e9,
        why=why,
        seconds=_seconds(times, cpu),
    )


def _why_not(stored: StoredRun, times: RunTimes) -> str:
    if times.trouble:
        return times.trouble
    if times.resumed:
        return "it was resumed, so that its time from end to end has a break in it"
    damage = stored.damage()
    if damage is not None:
        return str(damage).rstrip(".")
    return times.reasons.get("end_to_end_s", "") if times.end_to_end_s is None else ""


def _seconds(times: RunTimes, cpu_s: float | None) -> dict[Metric, float]:
    known = {
        Metric.END_TO_END: times.end_to_end_s,
        Metric.COMPUTE: times.compute_s,
        Metric.STAGE_IN: times.stage_in_s,
        Metric.STAGE_OUT: times.stage_out_s,
        Metric.CPU: cpu_s,
    }
    return {metric: seconds for metric, seconds in known.items() if seconds is not None}
