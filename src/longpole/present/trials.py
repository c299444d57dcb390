"""Trials of a search: one row each, in the order of their numbers; which is best is for the reader to say."""

from __future__ import annotations

from collections import Counter

from rich.console import Group, RenderableType
from rich.text import Text

from longpole.model.overview import Overview, Trial
from longpole.model.text import one_line
from longpole.present.tables import cell, new_table, note, with_rest
from longpole.units import show_seconds

_LONGEST_WORD = 24


def trials(overview: Overview, most_rows: int | None) -> RenderableType | None:
    """Return number, parameters, state, value, time and steps of trials; nothing if there are none."""
    every = overview.trials
    if not every:
        return None
    searches = list(dict.fromkeys(trial.search for trial in every))
    title = f"Trials of {one_line(searches[0])}" if len(searches) == 1 and searches[0] else "Trials"
    table = new_table(title, "state", "value", "time", "steps")
    for trial in every[:most_rows]:
        table.add_row(_name(trial, of_several=len(searches) > 1), *_cells(trial))
    shown = len(every[:most_rows])
    return Group(with_rest(table, shown, len(every), "trials"), note(_summary(every)))


def _name(trial: Trial, *, of_several: bool) -> Text:
    number = "?" if trial.number is None else str(trial.number)
    name = cell(f"{trial.search} {number}" if of_several else number)
    params = ", ".join(f"{key}={_param(value)}" for key, value in trial.params.items())
    return name.append(f"  {one_line(params)}", style="quiet") if params else name


def _cells(trial: Trial) -> tuple[str, str, str, str]:
    return (
        _word(trial.state),
        _value(trial.value),
        "?" if trial.seconds is None else show_seconds(trial.seconds),
        "?" if trial.steps is None else f"{trial.steps:,}",
    )


def _summary(trials: tuple[Trial, ...]) -> str:
    """Return how many trials ended in which way, and between what their values lie."""
    states = Counter(_word(trial.state) for trial in trials)
    counts = ", ".join(f"{number:,} {state}" for state, number in states.most_common())
    values = [trial.value for trial in trials if isinstance(trial.value, float)]
    if len(values) < 2:
        return counts
    return f"{counts}; values from {_value(min(values))} to {_value(max(values))}"


def _value(value: float | tuple[float | None, ...] | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return _word(", ".join(map(_value, value)))
    return f"{value:.4g}"


def _param(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _word(text: str) -> str:
    word = one_line(text) or "?"
    return word if len(word) <= _LONGEST_WORD else f"{word[: _LONGEST_WORD - 3]}..."
