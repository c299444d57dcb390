"""Measuring a machine: all wanted probes, in turns, for about as long as was given."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from longpole.measure.catalogue import CORES, NAMES, Entry, Wishes, entries
from longpole.measure.counted import counted_cores
from longpole.measure.probe import UnmeasurableError
from longpole.measure.repeats import of_rates, of_seconds
from longpole.measure.rounds import Tell, Turns, sentence, take_turns
from longpole.model.machine import Machine, Overhead, Peak
from longpole.model.measured import LeftOut, Measured, Measurement
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
    with ExitStack() as stack:
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
    if wishes.wants(CORES):
        measured.append(counted_cores())
    if not measured:
        raise UnmeasurableError(
            " ".join(["Nothing could be measured.", *dict.fromkeys(one.why for one in left_out)])
        )
    measured.sort(key=lambda one: NAMES.index(one.name))
    return Measurement(_machine(identity, measured), tuple(measured), tuple(left_out), _others(all_turns))


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
    found = (of_rates if name in RESOURCES else of_seconds)(name, values, turns.others)
    return replace(found, how=turns.probe.how, remark=f"{turns.probe.remark} {turns.failure}".strip())


def _others(all_turns: list[Turns]) -> float:
    """Return which share of the cores others held during all turns."""
    cores_s = sum(turns.cores_s for turns in all_turns)
    others_s = sum(turns.others_s for turns in all_turns)
    return min(1.0, max(0.0, others_s / cores_s)) if cores_s else 0.0


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
