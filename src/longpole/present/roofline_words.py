"""A roofline in sentences: what bounds it, how near it is, whether that is enough, what fits, where to go."""

from __future__ import annotations

from math import isclose

from longpole.model.quantity import show_quantity
from longpole.model.resources import RESOURCES, Level
from longpole.model.roofline import Ceiling, Direction, Placed, Roofline, TargetLine, Zone
from longpole.present.rates import between, exact_seconds, plain, rates_of, reached
from longpole.present.words import counted
from longpole.units import show_seconds

# More dots than this are told together.
_FEW = 4
_LEAST_GAIN = 1.01
# From here on a dot is above its ceiling.
_ABOVE = 1.005
# Below this, the bound explains little of the makespan.
_LITTLE = 0.25
# What the classic roofline of a kernel tells more of.
_CLASSIC = ("cpu", "flops", "bf16", "memory", "hbm")
_MEANS = {
    Zone.NODE_BOUND: "what a task does on its own nodes holds it",
    Zone.SYSTEM_BOUND: "what all tasks share holds it, and more tasks at once do not help",
    Zone.STRUCTURE_BOUND: "the order of its tasks holds it, and faster nodes help only on the longest chain",
    Zone.OVERHEAD_BOUND: "what each task costs before it does any work holds it",
}


def sentences(roofline: Roofline) -> tuple[str, ...]:
    """Return the roofline in five: the bound, how near it is, the zone, the wall, and where to go."""
    said = (
        (projected(roofline), bound(roofline)),
        (efficiency(roofline),),
        (zone(roofline),),
        (wall(roofline), queue(roofline)),
        (directions(roofline), next_step(roofline)),
    )
    return tuple(" ".join(sentence for sentence in told if sentence) for told in said)


def projected(roofline: Roofline) -> str:
    """Return that nobody measured on this machine, if so."""
    return f"Projected onto {roofline.machine}: nothing was measured there." if roofline.projected else ""


def bound(roofline: Roofline) -> str:
    """Return what bounds a workflow, and to what."""
    ceiling, rates = bounding(roofline), rates_of(roofline)
    least = roofline.least_makespan_s
    with_x = f" with {counted(roofline.parallel, 'task')} at once" if ceiling.serial_seconds else ""
    amount = counted(roofline.tasks, roofline.unit)
    the = "the " if ceiling.kind is Level.SYSTEM else ""
    return (
        f"Bound by {the}{ceiling.name}: {_moved(ceiling)} {show_seconds(least)} at least{with_x}, so "
        f"{amount} / {exact_seconds(least)} = {rates.show(roofline.throughput)} at most.{_rivals(roofline)}"
    )


def _rivals(roofline: Roofline) -> str:
    """Return which other ceilings may be the lowest, as far as their spreads tell."""
    named = bounding(roofline)
    near = [
        one.name
        for one in roofline.ceilings
        if one is not named
        and one.kind is not Level.STRUCTURE
        and one.tasks_per_second_at_dot * (1 - max(one.spread, named.spread)) <= roofline.throughput
    ]
    return f" Within the spread of what was measured it may be {' or '.join(near)} as well." if near else ""


def _moved(ceiling: Ceiling) -> str:
    """Return what takes the time: how much at which rate, where that is known."""
    if ceiling.work is None or ceiling.peak is None:
        return "it takes"
    resource = RESOURCES[ceiling.resource]
    work, peak = show_quantity(ceiling.work, resource.work), show_quantity(ceiling.peak, resource.peak)
    return f"{work} at {peak} take"


def efficiency(roofline: Roofline) -> str:
    """Return how near each dot comes to the ceiling over it."""
    if not roofline.dots:
        return "No run of it was measured, so there is no dot."
    main = roofline.main_dot
    if main is not None and len(roofline.dots) > _FEW:
        return _together(roofline, main)
    if len(roofline.dots) == 1:
        [only] = roofline.dots
        return f"{_reaches(only, None, roofline, name='The run')}.{_uncounted(only, roofline)}"
    told = [_reaches(dot, before, roofline, name=f"'{dot.name}'") for dot, before in _after(roofline.dots)]
    return f"{'; '.join(told)}."


def zone(roofline: Roofline) -> str:
    """Return whether targets are met and can be; without targets, in which zone it lies."""
    if roofline.targets:
        asked = [one for one in roofline.targets if not _implied(one, roofline)] or list(roofline.targets)
        return " ".join(_held_against(target, roofline) for target in asked)
    means = _MEANS.get(roofline.zone)
    if means is None:
        return f"It lies where there is {roofline.zone}."
    return f"It is {roofline.zone}: {means}{_helped(roofline)}."


def _helped(roofline: Roofline) -> str:
    """Return that more tasks at once help, where nodes bound it and more fit."""
    ceiling, now, more = bounding(roofline), roofline.parallel, roofline.parallel + 1
    rises = ceiling.height(roofline.tasks, more) > ceiling.height(roofline.tasks, now)
    fits = more <= min(roofline.wall.parallel, roofline.could or more)
    return ", and more tasks at once help" if roofline.zone is Zone.NODE_BOUND and rises and fits else ""


def wall(roofline: Roofline) -> str:
    """Return how many tasks fit at once, ran at once, and could."""
    limit = roofline.wall
    fit = f"{counted(limit.parallel, 'task')} {'fits' if limit.parallel == 1 else 'fit'} at once"
    of = f"{counted(limit.nodes, 'node')} / {limit.nodes_per_task:,.4g}"
    ran = "ran" if any(not dot.projected for dot in roofline.dots) else "is to run"
    could = "" if roofline.could is None else f", {roofline.could:,} could"
    return f"{fit} ({of}); it {ran} {roofline.parallel:,}{could}."


def queue(roofline: Roofline) -> str:
    """Return how long it waited in a queue, if it did."""
    if not roofline.queue_s:
        return ""
    return f"It waited {show_seconds(roofline.queue_s)} in a queue, which is in no makespan here."


def directions(roofline: Roofline) -> str:
    """Return the two best ways to go."""
    worth = roofline.directions[:2]
    if not worth:
        return "No direction that is known of gains 5 % or more."
    starts = ("First: ", "Then: ") if len(worth) > 1 else ("",)
    return " ".join(f"{start}{_way(one)}" for start, one in zip(starts, worth, strict=True))


def next_step(roofline: Roofline) -> str:
    """Return that the classic roofline of the longest task comes next, where nodes are what bounds."""
    ceiling = bounding(roofline)
    task = next((way.task for way in roofline.directions if way.task), dominating(roofline))
    main = roofline.main_dot
    explains = main is None or main.efficiency >= _LITTLE
    if ceiling.resource not in _CLASSIC or not task or not explains:
        return ""
    return f"Next step: the classic roofline of {task} on one node."


def bounding(roofline: Roofline) -> Ceiling:
    """Return the ceiling that bounds a workflow at its x."""
    named = (one for one in roofline.ceilings if one.name == roofline.bound)
    return next(named, roofline.ceilings[0])


def dominating(roofline: Roofline) -> str:
    """Return the kind of task that takes the most time, in the main dot; empty if nobody knows."""
    if not roofline.task_view:
        per_task = bounding(roofline).per_task_seconds
        return max(per_task, key=lambda kind: per_task[kind], default="")
    first = roofline.task_view[0].dot
    shown = [one for one in roofline.task_view if one.dot == (roofline.main or first)]
    alike = shown or [one for one in roofline.task_view if one.dot == first]
    return max(alike, key=lambda one: (one.share or 0.0, one.count * one.least_seconds)).name


def title(roofline: Roofline) -> str:
    """Return the name of the workflow with its machine, if it does not say that itself."""
    if roofline.machine.lower() in roofline.name.lower():
        return roofline.name
    joined = "," if " on " in roofline.name else " on"
    return f"{roofline.name}{joined} {roofline.machine}"


def dot_label(dot: Placed) -> str:
    """Return what stands beside a dot."""
    return f"{dot.name}, {reached(dot.efficiency)}"


def _after(dots: tuple[Placed, ...]) -> list[tuple[Placed, Placed | None]]:
    return list(zip(dots, (None, *dots[:-1]), strict=True))


def _reaches(dot: Placed, before: Placed | None, roofline: Roofline, *, name: str) -> str:
    same = dot.bound == roofline.bound and dot.bound_y == roofline.throughput
    of = "that" if same else f"the {dot.bound} ceiling{' when contended' if dot.contended else ''}"
    faster = ""
    if dot.speedup is not None and before is not None and dot.speedup >= _LEAST_GAIN:
        faster = f", {plain(dot.speedup)} times as fast as {before.name}"
    if dot.efficiency >= _ABOVE:
        verb = "would lie" if dot.projected else "lies"
        return f"{name} {verb} above {of}, {reached(dot.efficiency)} as high{faster}"
    return f"{name} {'would reach' if dot.projected else 'reaches'} {reached(dot.efficiency)} of {of}{faster}"


def _uncounted(dot: Placed, roofline: Roofline) -> str:
    """Return that most of the time went elsewhere, where the bound explains little of it."""
    if dot.efficiency >= _LITTLE or dot.projected:
        return ""
    where = "; 'longpole explain' tells where" if roofline.recorded else ""
    return f" Most of its time went into something that was not counted{where}."


def _together(roofline: Roofline, main: Placed) -> str:
    at = between([dot.efficiency for dot in roofline.dots])
    every, quoted = counted(len(roofline.dots), "dot"), f"'{main.name}'"
    return f"{_reaches(main, None, roofline, name=quoted)}; all {every} lie at {at} of their ceilings."


def _held_against(target: TargetLine, roofline: Roofline) -> str:
    asked = f"The target of {_asked(target, roofline)}"
    main = roofline.main_dot
    if main is None:
        return f"{asked} {_reachable(target)}."
    if target.seconds is not None:
        times, took = main.makespan_s / target.seconds, show_seconds(main.makespan_s)
    else:
        times, took = target.tasks_per_second / main.y, rates_of(roofline).show(main.y)
    if times <= 1:
        met = "would be met" if main.projected else "is met"
        but = "" if target.reachable_contended else "; not when shared resources are contended"
        return f"{asked} {met}: '{main.name}' has {took}, {plain(1 / times)} times as good{but}."
    more = f"and needs {plain(times)} times that"
    far = more if target.seconds is None else f"{plain(times)} times as long"
    return f"{asked} is missed: '{main.name}' has {took}, {far}. It {_reachable(target)}."


def _implied(target: TargetLine, roofline: Roofline) -> bool:
    """Return whether a throughput says no more than that all tasks are done within the makespan wanted."""
    spans = [one.seconds for one in roofline.targets if one.seconds is not None]
    same = any(isclose(target.tasks_per_second * span, roofline.tasks) for span in spans)
    return target.derived or (target.seconds is None and same)


def _asked(target: TargetLine, roofline: Roofline) -> str:
    if target.seconds is not None:
        return show_seconds(target.seconds)
    return rates_of(roofline).show(target.tasks_per_second)


def _reachable(target: TargetLine) -> str:
    if not target.reachable:
        return "cannot be reached under these ceilings"
    if not target.reachable_contended:
        return "can be reached on a good day only, not when shared resources are contended"
    return "can be reached under these ceilings"


def _way(direction: Direction) -> str:
    gain = f"{direction.gain:,.0f}" if direction.gain >= 100 else plain(direction.gain)
    return f"{direction.text.rstrip('.')} (up to {gain} times)."
