"""Recordings of processes that already ran: to how many, and what they used since, as last summed up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from longpole.store.derive.content import LogContent
from longpole.store.derive.notes import Began, Used


def attached_to(logs: list[LogContent]) -> int:
    """Return how many processes were attached to; 0 if a command was recorded."""
    return sum(len(note.attached) for log in logs for note in log.notes.of(Began))


def used_since(logs: list[LogContent]) -> NDArray[np.float64] | None:
    """Return what attached processes used, CPU in microseconds and bytes; nothing if there are none."""
    if not attached_to(logs):
        return None
    last = [notes[-1].used for log in logs if (notes := log.notes.of(Used))]
    total: NDArray[np.float64] = np.array(last, np.float64).reshape(-1, 6).sum(axis=0)
    return total
