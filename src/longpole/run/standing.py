"""Where a run stands that this process drives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping

from longpole.model.standing import RunningTask, RunState, TypeStanding
from longpole.plan.expansion import Expansion
from longpole.run.engines.opened import OpenJob
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


def types_of(
    runner: Runner, after: Mapping[str, tuple[str, ...]], waiting: Mapping[str, int]
) -> tuple[TypeStanding, ...]:
    """Return where each type of task stands.

    Args:
        runner: What decides.
        after: What ``known_after`` returns.
        waiting: How many of each type have begun for the runner, but wait at workers.
    """
    expansion = runner.expansion
    unknown = set(expansion.unexpanded)
    return tuple(
        TypeStanding(
            name=name,
            total=None if name in unknown else len(expansion.tasks_of(name)),
            ran=count.ran,
            cached=count.cached,
            running=max(0, count.running - waiting.get(name, 0)),
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


class Executing:
    """Tasks that are executed now, and since when.

    A worker may have some more tasks than the one it executes; when it comes to the next is seen here only.
    """

    def __init__(self) -> None:
        """Start with none."""
        self._since_ns: dict[tuple[int, int], Nanoseconds] = {}

    def look(
        self, opened: Iterable[OpenJob], unbegun: Container[int], now_ns: Nanoseconds
    ) -> tuple[tuple[RunningTask, ...], Counter[str]]:
        """Return what is executed, that first which began first, and types of what still waits at workers.

        A job whose files still come counts as executed, for a time that is not known.
        """
        found: list[RunningTask] = []
        waiting: Counter[str] = Counter()
        since_ns: dict[tuple[int, int], Nanoseconds] = {}
        for job in opened:
            for task, execution in job.executing.items():
                name = execution.order.name
                if execution.key in unbegun:
                    waiting[execution.order.template.name] += 1
                    since_ns[job.number, task] = 0
                    continue
                before = self._since_ns.get((job.number, task), execution.start_ns)
                began_ns = since_ns[job.number, task] = before or now_ns
                found.append(RunningTask(name, job.attempt, (now_ns - began_ns) / 1e9))
            if not job.executing and not job.shared:
                found += [RunningTask(order.name, job.attempt) for order in job.orders.values()]
        self._since_ns = since_ns
        return tuple(sorted(found, key=lambda each: -(each.seconds or 0.0))), waiting
