"""Models that a run searched for or trained: as marks say it, and as hooks saw it.

Method: a mark (``longpole.phase``) with an attribute ``model`` stands for one model; what it says of
``parameters``, ``model_bytes`` and ``batch_size`` holds for all that lies in it. Trials and epochs belong to
the nearest such mark around them. Where there is none, epochs say themselves what hooks saw of the model and
its data loader; those of one model belong together. Counts are of phases of kind ``trial`` and ``epoch``,
those that were only counted included. A trial that a later attempt of a task tells again is the same one. A
look into a data loader that trained nothing is no epoch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from longpole.analyse.values import Row, whole, word
from longpole.model.columns import Columns
from longpole.model.json_facts import facts_in
from longpole.model.model_use import ModelUse

_SAID = ("model_bytes", "parameters", "batch_size")
_NOBODY = "nobody told: put longpole.phase('train', model=..., parameters=..., batch_size=...) around it"
_NO_SEARCH = "it was no search"
_NO_EPOCHS = "no epoch was seen: loops that hooks do not see can mark theirs"


@dataclass(slots=True)
class _Model:
    """What is found of one model in one place."""

    said: dict[str, set[int]] = field(default_factory=lambda: {name: set() for name in _SAID})
    trials: dict[tuple[int, int], Counter[str]] = field(default_factory=dict)
    epochs: int = 0
    unsized: int = 0
    by_trial: Counter[int] = field(default_factory=Counter)

    def hear(self, facts: Mapping[str, object]) -> None:
        """Take what a mark or an epoch says."""
        for name in _SAID:
            value = facts.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1 << 62:
                self.said[name].add(round(value))

    @property
    def trial_count(self) -> int:
        """How many trials there were: those of a task's attempts that have one number are one."""
        by_task: dict[int, Counter[str]] = {}
        for (task, _), numbers in self.trials.items():
            by_task[task] = by_task.get(task, Counter()) | numbers
        return sum(numbers.total() for numbers in by_task.values())

    def take(self, other: _Model) -> None:
        """Add all that was found of another."""
        for name in _SAID:
            self.said[name] |= other.said[name]
        for attempt, numbers in other.trials.items():
            self.trials[attempt] = self.trials.get(attempt, Counter()) + numbers
        self.epochs += other.epochs
        self.unsized += other.unsized
        self.by_trial.update(other.by_trial)


def model_uses(marks: Columns, leaves: Columns) -> tuple[ModelUse, ...]:
    """Return each model in each place, in the order in which they began.

    Args:
        marks: Columns ``id``, ``name``, ``type`` (of the task it lies in) and ``attributes``: marks that
            name a model, in the order in which they began.
        leaves: Columns ``id``, ``kind`` (trial or epoch), ``count``, ``attributes``, ``type``, ``task``,
            ``attempt``, ``mark`` and ``trial`` (the nearest around it), in the order in which they began.
    """
    found = _Found()
    for row in marks.records():
        found.add_mark(row)
    rows = list(leaves.records())
    for row in (one for one in rows if one["kind"] == "epoch"):
        found.add_epoch(row)
    for row in (one for one in rows if one["kind"] == "trial"):
        found.add_trial(row)
    found.name_the_unnamed()
    return tuple(_use(name, place, model) for (name, place), model in found.models.items())


class _Found:
    """All models so far, by name and place."""

    def __init__(self) -> None:
        self.models: dict[tuple[str, str], _Model] = {}
        self._of_mark: dict[int, _Model] = {}
        self._of_trial: dict[int, _Model] = {}

    def add_mark(self, row: Row) -> None:
        """Take a mark that names a model."""
        facts = _facts(row)
        model = self._model(_name(facts), word(row["type"]) or word(row["name"]))
        model.hear(facts)
        self._of_mark[whole(row["id"]) or 0] = model

    def add_epoch(self, row: Row) -> None:
        """Count an epoch where it belongs; it tells what the mark around it does not."""
        facts, trial = _facts(row), whole(row["trial"])
        if facts.get("steps") == 0:
            return
        model = self._of_mark.get(whole(row["mark"]) or 0) or self._model(_name(facts), word(row["type"]))
        count = whole(row["count"]) or 1
        model.epochs += count
        marked = whole(row["mark"]) in self._of_mark
        model.unsized += count if not marked and "parameters" not in facts else 0
        model.hear({name: value for name, value in facts.items() if not (marked and model.said.get(name))})
        if trial is not None:
            model.by_trial[trial] += count
            self._of_trial[trial] = model

    def add_trial(self, row: Row) -> None:
        """Count a trial: with the mark around it, else with the model of its epochs."""
        model = self._of_mark.get(whole(row["mark"]) or 0) or self._of_trial.get(whole(row["id"]) or 0)
        if model is None:
            model = self._model(_name(_facts(row)), word(row["type"]))
        attempt = whole(row["task"]) or 0, whole(row["attempt"]) or 1
        number = _facts(row).get("number", whole(row["id"]))
        told = model.trials.setdefault(attempt, Counter())
        told[str(number)] += whole(row["count"]) or 1

    def name_the_unnamed(self) -> None:
        """Let what names no model belong to the only one that is named in its place."""
        for name, place in list(self.models):
            named = [model for (one, where), model in self.models.items() if where == place and one]
            if not name and len(named) == 1:
                named[0].take(self.models.pop((name, place)))

    def _model(self, name: str, place: str) -> _Model:
        return self.models.setdefault((name, place), _Model())


def _use(name: str, place: str, model: _Model) -> ModelUse:
    values = {one: tuple(sorted(model.said[one])) for one in _SAID}
    missing = {one: _NOBODY for one, known in values.items() if not known}
    if not name:
        missing["model"] = _NOBODY
    trials = model.trial_count
    if not trials:
        missing["trials"] = _NO_SEARCH
    if not model.epochs:
        missing["epochs"] = _NO_EPOCHS
    longest = max(model.by_trial.values(), default=model.epochs)
    return ModelUse(
        model=name,
        place=place,
        **values,
        trials=trials or None,
        epochs=longest or None,
        epochs_in_all=model.epochs or None,
        epochs_unsized=model.unsized if model.said["parameters"] else 0,
        reasons=missing,
    )


def _facts(row: Row) -> dict[str, object]:
    return facts_in(word(row["attributes"]))


def _name(facts: Mapping[str, object]) -> str:
    name = facts.get("model")
    return name if isinstance(name, str) else ""
