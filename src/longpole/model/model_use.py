"""A machine-learning model that a run searched for, or trained, as far as marks and hooks tell of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ModelUse:
    """One model in one place of a run; None is what nobody told, and ``reasons`` says so.

    Attributes:
        model: What it is called; empty if nobody said.
        place: Where it was: the kind of job, or else the mark around it; empty if neither is there.
        model_bytes: How large its weights are; several values if they differ.
        parameters: How many parameters it has; several values likewise.
        batch_size: How many examples a step has; several values likewise.
        trials: How many trials there were.
        epochs: Epochs of one training: of the longest trial, or of all where there are no trials.
        epochs_in_all: Epochs of all trials and trainings.
        epochs_unsized: Of how many of these the size of the model is not known: hooks see that of the first.
        reasons: Why a figure is not known, by the name of the field.
    """

    model: str
    place: str
    model_bytes: tuple[int, ...] = ()
    parameters: tuple[int, ...] = ()
    batch_size: tuple[int, ...] = ()
    trials: int | None = None
    epochs: int | None = None
    epochs_in_all: int | None = None
    epochs_unsized: int = 0
    reasons: Mapping[str, str] = field(default_factory=dict)
