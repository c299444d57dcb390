"""What tables say of one run: its times, what it used, what it was as a workflow, and its models."""

from __future__ import annotations

from dataclasses import dataclass

from longpole.model.kind_use import RunUse
from longpole.model.model_use import ModelUse
from longpole.model.run_outline import RunOutline
from longpole.model.run_times import RunTimes


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run; parts that a table does not need are left empty."""

    times: RunTimes
    use: RunUse | None = None
    outline: RunOutline | None = None
    models: tuple[ModelUse, ...] = ()
