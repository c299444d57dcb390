"""Models of a run: what marks say, what hooks saw, and to which of them trials and epochs belong."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.model_uses import model_uses
from longpole.model.columns import Column, Columns, integers, texts
from longpole.model.model_use import ModelUse

_MARK = ("id", "name", "type", "attributes")
_LEAF = ("id", "kind", "count", "attributes", "type", "task", "attempt", "mark", "trial")
_NUMBERS = ("id", "count", "task", "attempt", "mark", "trial")
SAID: dict[str, Any] = {
    "model": "VGG16",
    "parameters": 31_600_000,
    "model_bytes": 126_400_000,
    "batch_size": 32,
}


def _uses(marks: list[dict[str, Any]], leaves: list[dict[str, Any]]) -> tuple[ModelUse, ...]:
    def column(name: str, rows: list[dict[str, Any]]) -> Column:
        cells = [row.get(name) for row in rows]
        return integers(cells) if name in _NUMBERS else texts(cells)

    made = [
        Columns({name: column(name, rows) for name in names})
        for names, rows in ((_MARK, marks), (_LEAF, leaves))
    ]
    return model_uses(*made)


def _mark(number: int, name: str, type_: str = "", **facts: Any) -> dict[str, Any]:
    return {"id": number, "name": name, "type": type_ or None, "attributes": json.dumps(facts)}


def _leaf(identity: int, kind: str, **known: Any) -> dict[str, Any]:
    facts = {name: value for name, value in known.items() if name not in _LEAF}
    own = {name: value for name, value in known.items() if name in _LEAF}
    return {"id": identity, "kind": kind, "count": 1, "attributes": json.dumps(facts), **own}


def test_a_search_and_a_training_of_one_model_have_a_row_each():
    marks = [_mark(1, "search", "hpo", **SAID), _mark(2, "train", "train", **SAID)]
    trials = [_leaf(10 + at, "trial", mark=1) for at in range(2)]
    searched = [_leaf(20 + at, "epoch", mark=1, trial=10 + at % 2) for at in range(9)]
    trained = [_leaf(40 + at, "epoch", mark=2) for at in range(6)]

    hpo, train = _uses(marks, [*trials, *searched, *trained])

    assert (hpo.model, hpo.place, hpo.trials, hpo.epochs, hpo.epochs_in_all) == ("VGG16", "hpo", 2, 5, 9)
    assert (hpo.parameters, hpo.model_bytes, hpo.batch_size) == ((31_600_000,), (126_400_000,), (32,))
    assert (train.place, train.trials, train.epochs) == ("train", None, 6)
    assert train.reasons == {"trials": "it was no search"}


def test_without_marks_epochs_tell_what_hooks_saw():
    epochs = [_leaf(at, "epoch", model="Net", parameters=10, model_bytes=40, batch_size=8) for at in (1, 2)]

    [net] = _uses([], epochs)

    assert net == ModelUse("Net", "", (40,), (10,), (8,), None, 2, 2, reasons={"trials": "it was no search"})


def test_a_trial_that_names_no_model_belongs_to_that_of_its_epochs():
    epochs = [_leaf(at, "epoch", trial=100 + at % 2, model="Net", parameters=10) for at in range(6)]
    trials = [_leaf(100 + at, "trial") for at in range(3)]

    [net] = _uses([], [*epochs, *trials])

    assert (net.model, net.trials, net.epochs) == ("Net", 3, 3)


def test_epochs_of_later_instances_tell_no_size_and_that_is_counted():
    first = [_leaf(1, "epoch", model="Net", parameters=10)]
    later = [_leaf(at, "epoch", model="Net") for at in (2, 3)]

    [net] = _uses([], [*first, *later])

    assert (net.parameters, net.epochs_in_all, net.epochs_unsized) == ((10,), 3, 2)


def test_what_a_mark_says_stands_above_what_hooks_saw():
    [vgg] = _uses([_mark(1, "train", **SAID)], [_leaf(2, "epoch", mark=1, model="Net", parameters=7)])

    assert (vgg.model, vgg.place, vgg.parameters, vgg.epochs_unsized) == ("VGG16", "train", (31_600_000,), 0)


def test_epochs_that_were_only_counted_count():
    [use] = _uses([_mark(1, "train", **SAID)], [_leaf(2, "epoch", mark=1, count=40)])

    assert use.epochs == 40


def test_a_trial_that_a_later_attempt_tells_again_counts_once():
    first = [_leaf(1, "trial", task=7, attempt=1, number=0)]
    later = [_leaf(at, "trial", task=7, attempt=2, number=at - 2) for at in (2, 3)]
    other = [_leaf(4, "trial", task=8, attempt=1, number=0)]

    [use] = _uses([], [*first, *later, *other])

    assert use.trials == 3


def test_trials_of_one_number_in_one_attempt_are_of_several_studies():
    [use] = _uses([], [_leaf(at, "trial", task=7, attempt=1, number=0) for at in (1, 2)])

    assert use.trials == 2


def test_a_look_into_a_loader_that_trained_nothing_is_no_epoch():
    [use] = _uses([], [_leaf(1, "epoch", model="Net", steps=9), _leaf(2, "epoch", steps=0)])

    assert (use.model, use.epochs, use.epochs_unsized) == ("Net", 1, 0)


def test_attributes_that_are_nonsense_tell_nothing():
    odd = {"id": 1, "name": "train", "attributes": '{"model": 3, "parameters": "many", "batch_size": true}'}

    [use] = _uses([odd], [])

    assert (use.model, use.parameters, use.batch_size) == ("", (), ())
    assert set(use.reasons) == {"model", "model_bytes", "parameters", "batch_size", "trials", "epochs"}


@given(st.lists(st.tuples(st.sampled_from([1, 2, None]), st.sampled_from(["trial", "epoch"])), max_size=30))
def test_every_trial_and_epoch_is_counted_once(leaves: list[tuple[int | None, str]]):
    marks = [_mark(1, "a", model="A"), _mark(2, "b", model="B")]
    rows = [_leaf(100 + at, kind, mark=mark) for at, (mark, kind) in enumerate(leaves)]

    uses = _uses(marks, rows)

    kinds = [kind for _, kind in leaves]
    assert sum(use.trials or 0 for use in uses) == kinds.count("trial")
    assert sum(use.epochs_in_all or 0 for use in uses) == kinds.count("epoch")
