"""Imports of a run: one line on the modules that took long."""

from __future__ import annotations

from rich.padding import Padding

from longpole.model.overview import Overview
from longpole.model.text import one_line
from longpole.present.tables import note
from longpole.units import show_seconds

_KIND = "import"
# Importing is told of from here on: so many seconds, or this share of the makespan.
_LONG_S, _LONG_SHARE = 1.0, 0.05
_MOST_MODULES, _WORTH_NAMING = 3, 0.05


def importing(overview: Overview) -> Padding | None:
    """Return how long importing took, if it took long, and the modules that took most of it."""
    modules = [phase for phase in overview.phases if phase.kind == _KIND]
    took = sum(module.total_s for module in modules)
    if took < _LONG_S and (not took or took < _LONG_SHARE * (overview.makespan_s or 0.0)):
        return None
    where = " in all processes together" if any(module.count > 1 for module in modules) else ""
    longest = sorted(modules, key=lambda module: -module.total_s)[:_MOST_MODULES]
    longest = [module for module in longest if module.total_s >= _WORTH_NAMING * took] or longest[:1]
    listed = [f"{one_line(module.name)} {show_seconds(module.total_s)}" for module in longest]
    if len(modules) > len(longest):
        listed.append(f"and {len(modules) - len(longest):,} more")
    return note(f"importing took {show_seconds(took)}{where}: {', '.join(listed)}")
