"""The table like the paper's I: models that were searched for and trained, and their hyper-parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longpole.analyse.tables.measures import Measure
from longpole.analyse.tables.repeats import Repeats
from longpole.analyse.tables.sheet import Sheet
from longpole.model.model_use import ModelUse
from longpole.model.result_table import Heading, Like, Quantity, ResultTable

_EPOCHS = "Epochs are those of the longest trial, or of the training where there are no trials."
_NONE = (
    "No model was seen: no mark names one, and no epoch or trial was recorded. Put "
    "longpole.phase('train', model=..., parameters=..., model_bytes=..., batch_size=...) around a training."
)
_UNNAMED = "?"


def models_table(groups: Sequence[Repeats]) -> ResultTable:
    """Return the table like I: a row for each model in each place of a run."""
    placed = any(use.place for group in groups for result in group.runs for use in result.models)
    sheet = Sheet(_MEASURES if placed else _MEASURES[1:], groups)
    said: list[str] = []
    for group in groups:
        keys = dict.fromkeys((use.model, use.place) for result in group.runs for use in result.models)
        for key in keys:
            some = [use for result in group.runs for use in result.models if (use.model, use.place) == key]
            sheet.add(group.label, key[0] or _UNNAMED, some)
        said += [] if keys else [f"{group.label}: {_NONE}"]
        said += [one for result in group.runs for use in result.models for one in _differing(use)]
    return sheet.finished(Like.I, "Models and their hyper-parameters", "model", [_EPOCHS, *said])


def _differing(use: ModelUse) -> Iterator[str]:
    """Yield a sentence for what is not the same in all of one model."""
    for name, title in {
        "model_bytes": "size",
        "parameters": "parameters",
        "batch_size": "batch size",
    }.items():
        values: tuple[int, ...] = getattr(use, name)
        if len(values) > 1:
            listed = ", ".join(f"{value:,}" for value in values)
            yield f"{use.model or _UNNAMED}: {title} differs ({listed}): the largest is shown."
    if use.epochs_unsized:
        others = f"{use.epochs_unsized:,} of {use.epochs_in_all or 0:,} epochs"
        yield (
            f"{use.model or _UNNAMED}: size and parameters are those of the first that was called; {others} "
            "trained another, perhaps of another size."
        )


def _said(name: str, title: str, quantity: Quantity) -> Measure[ModelUse]:
    """Return a measure of what marks say; where they differ within a run, the largest counts."""

    def value(use: ModelUse) -> float | None:
        found: tuple[int, ...] = getattr(use, name)
        return float(max(found)) if found else None

    return Measure(Heading(name, title, quantity), value, lambda use: use.reasons.get(name, ""))


def _counted(name: str, title: str) -> Measure[ModelUse]:
    def value(use: ModelUse) -> float | None:
        found = getattr(use, name)
        return None if found is None else float(found)

    return Measure(Heading(name, title, Quantity.COUNT), value, lambda use: use.reasons.get(name, ""))


_MEASURES: tuple[Measure[ModelUse], ...] = (
    Measure(Heading("place", "in", Quantity.TEXT), lambda use: use.place, lambda _: ""),
    _said("model_bytes", "size", Quantity.BYTES),
    _said("parameters", "parameters", Quantity.COUNT),
    _counted("trials", "trials"),
    _counted("epochs", "epochs"),
    _said("batch_size", "batch size", Quantity.COUNT),
)
