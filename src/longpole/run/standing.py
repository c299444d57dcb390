"""Where a run stands that this process drives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from longpole.model.standing import RunningTask, RunState, TypeStanding
from longpole.plan.expansion import Expansion
from longpole.run.engines.local.opened import OpenJob
from longpole.run.runner import Runner
from longpole.units import Nanoseconds


def known_after(expansion: Expansion) -> dict[str, tuple[str, ...]]:
    """Return for each type of task those whose tasks must all have run before its own are known."""
    made = {each.name for each in expansion.workflow.sets.values() if each.made}
    found: dict[str, tuple[str, ...]] = {}
    for name in expansion.workflow.templates:
        sets = expansion.sets_of(name) & made
        found[name] = tuple(sorted({maker for one in sets for maker in expansion.makers_of_set(one)}))
    return found


def types_of(runner: Runner, after: Mapping[str, tuple[str, ...]]) -> tuple[TypeStanding, ...]:
    """Return where each type of task stands; ``after`` is what ``known_after`` returns."""
    expansion = runner.expansion
    unknown = set(expansion.unexpanded)
    return tuple(
        TypeStanding(
            name=name,
            total=None if name in unknown else len(expansion.tasks_of(name)),
            ran=count.ran,
            cached=count.cached,
            running=count.running,
            failed=count.failed,
            stopped=count.stopped,
            skipped=count.skipped,
            tried_again=count.tried_again,
            known_after=after[name] if name in unknown else (),
        )
        for name, count in runner.tally.counts.items()
    )


def state_of(runner: Runner) -> RunState:
    """Return how far a run has come."""
    if not runner.finished:
        return RunState.RUNNING
    if runner.well:
        return RunState.FINISHED
    return RunState.STOPPED if runner.stopped else RunState.FAILED


def running_tasks(opened: Iterable[OpenJob], now_ns: Nanoseconds) -> tuple[RunningTask, ...]:
    """Return the tasks of open jobs that are executed, and the jobs whose files still come.

    The one comes first that began first.
    """
    found = [each for job in opened for each in _of_job(job, now_ns)]
    return tuple(sorted(found, key=lambda each: -(each.seconds or 0.0)))


def _of_job(job: OpenJob, now_ns: Nanoseconds) -> list[RunningTask]:
    executing = [
        RunningTask(each.order.name, job.attempt, (now_ns - each.start_ns) / 1e9)
        for each in job.executing.values()
    ]
    waiting = [] if job.shared else [order.name for order in job.orders.values()]
    return executing or [RunningTask(name, job.attempt) for name in waiting]
