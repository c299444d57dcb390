"""Our rules about how work is divided, started and kept waiting."""

from __future__ import annotations

from longpole.analyse.rules import (
    dispatch,
    imbalance,
    interference,
    lock,
    memory_pressure,
    rereading,
    small_files,
    straggler,
)
from longpole.analyse.rules.case import Rule

OURS_B: tuple[Rule, ...] = (
    straggler.RULE,
    imbalance.RULE,
    dispatch.RULE,
    memory_pressure.RULE,
    small_files.RULE,
    rereading.RULE,
    interference.RULE,
    lock.RULE,
)
