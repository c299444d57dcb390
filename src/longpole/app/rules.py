"""Which rules there are, ours and others'."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import cast

from longpole.analyse.rules.case import Rule
from longpole.analyse.rules.ours import OURS
from longpole.errors import UsageError

GROUP = "longpole.rules"


def all_rules() -> tuple[Rule, ...]:
    """Return all rules; one of ours cannot be replaced, only added to.

    Raises:
        UsageError: One of another package cannot be loaded.
    """
    found = {rule.name: rule for rule in OURS}
    for entry in entry_points(group=GROUP):
        try:
            rule = entry.load()
        except Exception as error:  # somebody else's code may fail in any way
            raise UsageError(
                f"The rule '{entry.name}' of {entry.value} cannot be loaded: {error}."
            ) from error
        if not isinstance(getattr(rule, "name", None), str) or not callable(getattr(rule, "look", None)):
            raise UsageError(
                f"The rule '{entry.name}' of {entry.value} is none: it has no name, or no look()."
            )
        found.setdefault(entry.name, cast(Rule, rule))
    return tuple(found.values())
