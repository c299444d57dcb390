"""Trials of searches: how each ended, its value and parameters, its time and its training steps.

Method: trials are listed by search, in the order in which searches began, and by number. Which is best is not
said: a run does not tell whether values are to be small or large. A step belongs to the trial of its process
and thread that it lies in. Where steps were only counted, epochs tell how many they had; they are believed if
all steps of the process are in epochs, and else the steps of a trial are not known.
"""

from __future__ import annotations

import json
from collections import Counter
from math import isfinite

from longpole.analyse.values import Cell, Row, number, whole, word
from longpole.model.columns import Columns
from longpole.model.execution import Status
from longpole.model.json_facts import facts_in
from longpole.model.overview import Scalar, Trial

_STATES = {
    Status.OK.value: "complete",
    Status.FAILED.value: "failed",
    Status.UNFINISHED.value: "unfinished",
}
Said = dict[str, object]


def trials_of(trials: Columns, steps: Columns) -> tuple[Trial, ...]:
    """Return every trial.

    Args:
        trials: Columns ``search``, ``search_ns`` (when it began), ``name``, ``process``, ``duration_ns``,
            ``status``, ``attributes``, ``full`` (steps noted in it), ``epochs`` (steps of epochs in it) and
            ``all_epochs`` (of all epochs of its process), in the order in which they began.
        steps: As ``step_uses`` takes them.
    """
    if not trials.rows:
        return ()
    noted, counted = _training_steps(steps)
    found = []
    for row in trials.records():
        said = facts_in(word(row["attributes"]))
        process = whole(row["process"])
        exact = counted[process] == 0
        known = exact or whole(row["all_epochs"]) == noted[process] + counted[process]
        inside = (whole(row["full" if exact else "epochs"]) or 0) if known else None
        found.append((whole(row["search_ns"]) or 0, _trial(row, said, inside)))
    found.sort(key=lambda one: (one[0], one[1].search, one[1].number is None, one[1].number or 0))
    return tuple(trial for _, trial in found)


def _training_steps(steps: Columns) -> tuple[Counter[int | None], Counter[int | None]]:
    """Return how many training steps each process has noted, and how many it has only counted."""
    found: dict[Cell, Counter[int | None]] = {"full": Counter(), "sum": Counter()}
    for row in steps.records():
        if row["kind"] == "step" and row["what"] in found:
            found[row["what"]][whole(row["process"])] += whole(row["count"]) or 0
    return found["full"], found["sum"]


def _trial(row: Row, said: Said, steps: int | None) -> Trial:
    duration, state = number(row["duration_ns"]), said.get("state")
    return Trial(
        search=word(row["search"]),
        number=_number(said, word(row["name"])),
        state=_text(state) if isinstance(state, str) else _STATES.get(word(row["status"]), ""),
        value=_value(said.get("value")),
        seconds=None if duration is None else duration / 1e9,
        steps=steps,
        params=_params(said.get("params")),
    )


def _number(said: Said, name: str) -> int | None:
    """Return the number of a trial: what was said, else what its name ends in."""
    given = said.get("number")
    if type(given) is int and abs(given) < 1 << 63:
        return given
    last = name.rpartition(" ")[2]
    return int(last) if last.isascii() and last.isdigit() and len(last) < 19 else None


def _value(value: object) -> float | tuple[float | None, ...] | None:
    if isinstance(value, list):
        return tuple(_finite(one) for one in value)
    return _finite(value)


def _finite(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if isfinite(value) else None
    except OverflowError:
        return None


def _params(params: object) -> dict[str, Scalar]:
    """Return parameters as plain values; what is none of these is kept as JSON."""
    if not isinstance(params, dict):
        return {}
    return {_text(name): _plain(value) for name, value in params.items()}


def _plain(value: object) -> Scalar:
    match value:
        case None | bool():
            return value
        case str():
            return _text(value)
        case int() if abs(value) < 1 << 63:
            return value
        case float() if isfinite(value):
            return value
    try:
        return _text(json.dumps(value))
    except (ValueError, RecursionError):
        return None


def _text(text: str) -> str:
    """Return a text that can be written: JSON can spell halves of characters."""
    return text.encode(errors="replace").decode()
