"""Measuring a machine: all wanted probes, in turns, for about as long as was given."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from longpole.measure.catalogue import CORES, NAMES, Entry, Wishes, entries
from longpole.measure.counted import counted_cores
from longpole.measure.endings import orderly_endings
from longpole.measure.probe import UnmeasurableError
from longpole.measure.repeats import of_rates, of_seconds
from longpole.measure.rounds import Tell, Turns, held_by_others, sentence, take_turns
from longpole.model.machine import Machine, Overhead, Peak
from longpole.model.measured import MOST_OTHERS, LeftOut, Measured, Measurement
from longpole.model.resources import NODE, RESOURCES, SYSTEM

_COUNTED = ("gpu",)


@dataclass(frozen=True, slots=True)
class Identity:
    """What the measured machine is called, how many nodes like this one it has, and who says so."""

    name: str
    nodes: int = 1
    origin: str = ""
    about: str = ""


def measure(
    wishes: Wishes, identity: Identity, seconds: float, tell: Tell = lambda _elapsed: None
) -> Measurement:
    """Measure this machine.

    Args:
        wishes: What to measure, and where.
        identity: What the machine is called.
        seconds: About how long to measure; as long as it takes for the fewest repeats if that is longer.
        tell: Told how many seconds have gone by, now and then.

    Raises:
        UnmeasurableError: Nothing that was wanted could be measured.
    """
    begun = time.monotonic()
    left_out: list[LeftOut] = []
    with orderly_endings(), ExitStack() as stack:
        all_turns = []
        for entry in entries(wishes):
            made = _made(entry, wishes, left_out)
            tell(time.monotonic() - begun)
            if made:
                stack.callback(made.probe.close)
                all_turns.append(made)
        prepared_s = time.monotonic() - begun
        take_turns(all_turns, seconds - prepared_s, lambda elapsed: tell(prepared_s + elapsed))
        measured = [one for turns in all_turns for one in _results(turns, left_out)]
        others = held_by_others(held for turns in all_turns for held in turns.held)
    if wishes.wants(CORES):
        measured.append(counted_cores())
    if not measured:
        raise UnmeasurableError(
            " ".join(["Nothing could be measured.", *dict.fromkeys(one.why for one in left_out)])
        )
    measured.sort(key=lambda one: NAMES.index(one.name))
    return Measurement(_machine(identity, measured), tuple(measured), tuple(left_out), others)


def _made(entry: Entry, wishes: Wishes, left_out: list[LeftOut]) -> Turns | None:
    names = tuple(name for name in entry.names if wishes.wants(name))
    try:
        return Turns(names, entry.make())
    except (UnmeasurableError, OSError, MemoryError) as error:
        left_out += [LeftOut(name, sentence(error)) for name in names]
        return None


def _results(turns: Turns, left_out: list[LeftOut]) -> Iterable[Measured]:
    for name in turns.names:
        values = turns.values.get(name)
        if values:
            yield _result(name, values, turns)
        else:
            left_out.append(LeftOut(name, turns.failure or "It gave no value."))


def _result(name: str, values: list[float], turns: Turns) -> Measured:
    if name in _COUNTED:
        return Measured(name, (values[0],), values[0], 0.0, turns.probe.how)
    more_is_better = name in RESOURCES
    others = _others_at_best(values, turns, more_is_better=more_is_better)
    found = (of_rates if more_is_better else of_seconds)(name, values, others)
    return replace(found, how=turns.probe.how, remark=_remark(turns, others))


def _others_at_best(values: list[float], turns: Turns, *, more_is_better: bool) -> float:
    """Return which share of the cores others held during the best quarter of the repeats.

    Not during the best alone: the kernel counts in hundredths of a second, which is coarse for one.
    """
    ordered = sorted(zip(values, turns.held, strict=False), reverse=more_is_better)
    return held_by_others(held for _, held in ordered[: math.ceil(len(ordered) / 4)])


def _remark(turns: Turns, others: float) -> str:
    burden = "Others held half of the cores or more even at best." if others >= MOST_OTHERS else ""
    return " ".join(filter(None, (turns.probe.remark, burden, turns.failure)))


def _machine(identity: Identity, measured: list[Measured]) -> Machine:
    node = {one.name: _peak(one) for one in measured if one.name in NODE}
    system = {one.name: replace(_peak(one), per_node=True) for one in measured if one.name in SYSTEM}
    starts = {
        one.name: Overhead(_rounded(one.best), one.spread, one.source)
        for one in measured
        if one.name not in RESOURCES
    }
    return Machine(
        identity.name, identity.nodes, node, system, starts, origin=identity.origin, about=identity.about
    )


def _peak(one: Measured) -> Peak:
    return Peak(_rounded(one.best), spread=one.spread, source=one.source)


def _rounded(value: float) -> float:
    """Return a value in four digits; nothing is known better."""
    return float(f"{value:.4g}")
