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
            found.setdefault(entry.name, cast(Rule, entry.load()))
        except Exception as error:  # somebody else's code may fail in any way
            raise UsageError(
                f"The rule '{entry.name}' of {entry.value} cannot be loaded: {error}."
            ) from error
    return tuple(found.values())
