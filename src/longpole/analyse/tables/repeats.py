"""Which runs are repeats of each other, what these are called, and which of them are no good sample.

Runs of one workflow, placement and parameters are repeats; of commands, those of one name and command line.
A run that failed, still goes on, or took some of its tasks from an earlier run is left out where there are
others: the mean of a whole run and half a one says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longpole.analyse.sentences import count_of
from longpole.model.plan import IN_ORDER
from longpole.model.run_result import RunResult
from longpole.model.run_times import RunTimes


@dataclass(frozen=True, slots=True)
class Repeats:
    """Runs of one setting.

    Attributes:
        workflow: The workflow, or what the command is called.
        placement: Where its data was; empty if that is not known.
        chosen: Parameters that tell it from others of the same workflow: ``variant=tuned``.
        runs: Those that count.
        left_out: Those that do not.
    """

    workflow: str
    placement: str
    chosen: str
    runs: tuple[RunResult, ...]
    left_out: tuple[RunResult, ...] = ()

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.runs)

    @property
    def label(self) -> str:
        """What a row of it is called."""
        return ", ".join(filter(None, (self.workflow, self.placement, self.chosen)))

    @property
    def inner_label(self) -> str:
        """What it is called where its workflow stands above it."""
        return ", ".join(filter(None, (self.placement, self.chosen))) or self.workflow


def repeats_of(results: Sequence[RunResult]) -> tuple[Repeats, ...]:
    """Return runs by their setting, in the order in which workflows first come, then that of placements."""
    groups: dict[object, list[RunResult]] = {}
    for result in results:
        groups.setdefault(result.times.setting, []).append(result)
    every = [some[0].times for some in groups.values()]
    workflows = list(dict.fromkeys(first.workflow for first in every))
    ordered = sorted(groups.values(), key=lambda some: _place(some[0].times, workflows))
    return tuple(_repeats(some, every) for some in ordered)


def _place(first: RunTimes, workflows: list[str]) -> tuple[int, int]:
    order = [placement.value for placement in IN_ORDER]
    at = order.index(first.placement) if first.placement in order else 0
    return workflows.index(first.workflow), at


def doubts(groups: Sequence[Repeats]) -> Iterator[str]:
    """Yield a sentence for each run that is left out, or counts though it should not."""
    for group in groups:
        for result in group.left_out:
            yield f"Run {result.times.run} of {group.label} is left out: {_doubt(result.times)}."
        for result in group.runs:
            if _doubt(result.times):
                yield f"Run {result.times.run} of {group.label} is no good sample: {_doubt(result.times)}."
            elif result.times.resumed:
                drivers = count_of(result.times.drivers, "driver")
                yield f"Run {result.times.run} of {group.label} was resumed: {drivers}, with time in between."


def _repeats(some: list[RunResult], every: list[RunTimes]) -> Repeats:
    sound = tuple(result for result in some if not _doubt(result.times))
    first = some[0].times
    return Repeats(
        workflow=first.workflow or _called(first, every),
        placement=first.placement,
        chosen=_chosen(first, every),
        runs=sound or tuple(some),
        left_out=tuple(result for result in some if result not in sound) if sound else (),
    )


def _doubt(times: RunTimes) -> str:
    """Return why a run is no good sample; empty if it is one."""
    if times.trouble:
        return times.trouble
    if times.cached:
        all_tasks = count_of(times.cached + times.tasks, "task")
        return f"{times.cached:,} of {all_tasks} did not run, since what they make was there"
    return ""


def _chosen(times: RunTimes, every: list[RunTimes]) -> str:
    """Return the parameters by which a setting differs from others of the same workflow."""
    same = [other for other in every if other.workflow == times.workflow and other.workflow]
    differing = [
        name
        for name in dict.fromkeys(name for other in same for name in other.parameters)
        if len({other.parameters.get(name) for other in same}) > 1
    ]
    return ", ".join(f"{name}={times.parameters[name]}" for name in differing if name in times.parameters)


def _called(times: RunTimes, every: list[RunTimes]) -> str:
    """Return what a command is called: by its name, and by its command line or id where others have that."""
    alike = [other for other in every if other.name == times.name and not other.workflow]
    if len(alike) == 1:
        return times.name or times.run
    commands = {other.command for other in alike}
    return times.command if len(commands) == len(alike) and times.command else f"{times.name} {times.run}"
