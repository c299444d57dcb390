"""The table like the paper's I: models in their places, and what nobody told."""

from __future__ import annotations

from longpole.analyse.tables.build import build_table
from longpole.model.model_use import ModelUse
from longpole.model.result_table import Gap, Like
from tests.analyse.tables.results import cell, result

SEARCH = ModelUse("VGG16", "hpo", (126_400_000,), (31_600_000,), (32,), 2, 5, 10)


def test_a_search_has_trials_epochs_and_the_size_of_its_model():
    table = build_table(Like.I, [result("a", models=(SEARCH,))])

    names = ("place", "parameters", "trials", "epochs", "batch_size")
    assert [cell(table, "VGG16", name)[0] for name in names] == ["hpo", 31_600_000, 2, 5, 32]


def test_a_training_says_why_it_has_no_trials():
    training = ModelUse("VGG16", "train", (1,), (1,), (32,), None, 6, 6, reasons={"trials": "no search"})

    table = build_table(Like.I, [result("a", models=(training,))])

    assert cell(table, "VGG16", "trials") == (None, None)
    assert table.gaps == (Gap(("trials",), "no search"),)


def test_what_differs_within_a_run_is_said():
    odd = ModelUse("Net", "", (), (10, 20), (8, 16), 2, 3, 9, 6)

    table = build_table(Like.I, [result("a", models=(odd,))])

    assert next(heading.name for heading in table.headings) == "model_bytes"
    assert "Net: batch size differs (8, 16): the largest is shown." in table.notes
    assert any("6 of 9 epochs trained another" in note for note in table.notes)


def test_a_run_without_any_model_has_no_row_and_says_what_to_do():
    table = build_table(Like.I, [result("a")])

    assert table.rows == ()
    assert any("longpole.phase('train', model=..." in note for note in table.notes)
