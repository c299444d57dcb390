"""What hooks could not see, and what they chose not to note: sentences for a person to judge by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product

from longpole.analyse.sentences import count_of
from longpole.analyse.steps import Counting
from longpole.model.recording import DetailChoice, RecordingNotes
from longpole.units import show_seconds

_STEPS = {"step": "Training steps", "inference": "Inference steps", "batch": "Batches"}
_MOST_COMMANDS = 3
_LONGEST_COMMAND = 60


def hooks_missing(notes: RecordingNotes) -> Iterator[str]:
    """Yield what happened in Python and is not in the run, as no hook saw it."""
    if notes.unreached_total:
        many = count_of(notes.unreached_total, "Python")
        commands = [_short(one.command) for one in notes.unreached[:_MOST_COMMANDS] if one.command]
        more = notes.unreached_total - sum(one.count for one in notes.unreached[:_MOST_COMMANDS])
        listed = ", ".join([*commands, f"and {more:,} more"] if more > 0 and commands else commands)
        said = f"{many} could not be looked into (python -I, -E or a cleaned environment)"
        yield f"{said}: {listed}." if listed else f"{said}."
    for failure in notes.hooks_given_up:
        where = count_of(failure.processes, "process")
        why = " ".join(failure.why.split()).rstrip(".")
        yield f"The hook for {failure.hook} gave up in {where}: {why or 'no reason is known'}."


def detail_limits(details: tuple[DetailChoice, ...], steps: Counting) -> Iterator[str]:
    """Yield what was chosen to be counted only, and what that means for the numbers of steps."""
    told = [one for one in details if one.every > 1 and (steps.light or not one.light)]
    for (kind, name), light in product(_STEPS.items(), (False, True)):
        chosen = [one for one in told if one.kind == kind and one.light == light]
        if chosen:
            took = _range((one.step_ns / 1e9 for one in chosen), show_seconds)
            every = _range((float(one.every) for one in chosen), lambda number: f"{number:,.0f}")
            asked = all(one.detail == "low" for one in chosen)
            why = ", as --detail low asks" if asked else "; --detail high notes all"
            others = "the others with their wait for data" if light else "the others are counted"
            yield f"{name} took {took}: 1 of {every} is noted in full, {others}{why}."
    if steps.light:
        yield (
            f"Of {steps.noted:,} steps noted one by one, {steps.light:,} have no part but the wait for data: "
            "the rest of their time is taken to go as in the others."
        )
    if steps.counted:
        yield (
            f"Of {steps.counted + steps.noted:,} steps {steps.counted:,} were only counted: p50 and p95 are "
            f"from histograms then, and may be off by a quarter{_parts_guessed(steps)}."
        )


def _parts_guessed(steps: Counting) -> str:
    if not steps.without_parts:
        return ""
    return f"; their parts are taken to be as in the {steps.noted - steps.light:,} noted in full"


def _range(numbers: Iterable[float], show: Callable[[float], str]) -> str:
    """Return the smallest and the largest of some numbers, or the one that they look like."""
    known = list(numbers)
    low, high = show(min(known)), show(max(known))
    return low if low == high else f"{low} to {high}"


def _short(command: str) -> str:
    line = " ".join(command.split())
    return line if len(line) <= _LONGEST_COMMAND else f"{line[: _LONGEST_COMMAND - 1]}…"
