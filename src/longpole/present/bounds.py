"""What bounds each phase: its time, what it used, what held it and for how long, and what it could gain."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType

from longpole.model.bounds import Bound, Held, How
from longpole.present.blamed import named
from longpole.present.tables import cell, new_table, note
from longpole.units import show_bytes, show_seconds

_TITLE = "What bounds them"
_NOTE = "gain: of its own time, were what bounds it infinite; the run may gain nothing"
_WAITING = "no limit seen"
_UNSEEN = "not sampled"
_LEAST_BYTES = 1e6
# What takes less of a phase's time is not named.
_LEAST_SHARE = 0.05
# From so many columns on there is room for storage beside a GPU.
_WIDE = 100


def bounded(bounds: tuple[Bound, ...], console: Console) -> RenderableType | None:
    """Return a table of what bounds phases; nothing if that is not known of any."""
    if not bounds:
        return None
    gpu = any(_mean(one, "GPU") is not None for one in bounds)
    storage = any(_moved(one) >= _LEAST_BYTES for one in bounds) and (not gpu or console.width >= _WIDE)
    figures = ["time", "cores", *(["GPU"] if gpu else []), *(["storage"] if storage else [])]
    most = 1 if (gpu or storage) and console.width < _WIDE else 2
    table = new_table(_TITLE, *figures, "bound by", "gain")
    for one in bounds:
        cells = [show_seconds(one.seconds), f"{_mean(one, 'cores') or 0.0:.2f}"]
        cells += [_percent(_mean(one, "GPU") or 0.0)] if gpu else []
        cells += [_rate(_moved(one))] if storage else []
        table.add_row(cell(named(one.what, one.kind)), *cells, _bound_by(one, most), _gain(one))
    return Group(table, note(_NOTE))


def _bound_by(one: Bound, most: int) -> str:
    """Return what held phases, the longest first: so many things at most."""
    states = [(held.share, _called(held)) for held in one.held]
    states += [(one.waiting_share, _WAITING), (one.unseen_share, _UNSEEN)]
    longest = sorted((state for state in states if state[0] >= _LEAST_SHARE), reverse=True)[:most]
    return ", ".join(f"{word} {_percent(share)}" for share, word in longest)


def _called(held: Held) -> str:
    if held.how is How.OWN:
        return "own core" if held.amount <= 1 else f"own {held.amount:.0f} cores"
    if held.how is How.BLOCKED:
        return "its processes"
    return "all cores" if held.resource == "cores" else held.resource


def _gain(one: Bound) -> str:
    """Return what phases could gain of what held them longest, or else of what gains most."""
    wanted = one.held[0].resource if one.held else ""
    gains = [gain for gain in one.gains if gain.resource == wanted] or list(one.gains)
    return _percent(gains[0].seconds / one.seconds) if gains else ""


def _mean(one: Bound, resource: str) -> float | None:
    return next((use.mean for use in one.uses if use.resource == resource), None)


def _moved(one: Bound) -> float:
    return sum(use.mean for use in one.uses if use.resource.startswith("storage"))


def _rate(moved: float) -> str:
    return f"{show_bytes(moved)}/s" if moved >= _LEAST_BYTES else ""


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
