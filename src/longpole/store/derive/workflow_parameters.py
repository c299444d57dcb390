"""Parameters that a workflow ran with, as its driver told them.

Drivers of earlier versions did not: of these only what the user chose is known, from what was asked for.
"""

from __future__ import annotations

import msgspec

from longpole.store.derive.workflow_notes import Driver


class _Asked(msgspec.Struct, frozen=True):
    """The part of a request that tells of parameters."""

    chosen: dict[str, str] = {}


def parameters_of(driver: Driver) -> dict[str, str]:
    """Return the text of each parameter by its name; those that nobody chose are missing in old runs."""
    if driver.parameters:
        return dict(driver.parameters)
    try:
        return msgspec.json.decode(driver.request or "{}", type=_Asked).chosen
    except (msgspec.MsgspecError, RecursionError):
        return {}
