"""The importer in the docs works as it is written."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from longpole.app import importers
from longpole.errors import LongpoleError
from longpole.model.told import Wishes
from tests.contracts.importers import ImporterContract
from tests.exchange.foreign import given

PAGE = (Path(__file__).parents[2] / "docs" / "writing-importers.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.DOTALL)
LOG = next(block for form, block in BLOCKS if not form)
CODE = next(block for form, block in BLOCKS if form == "python")


def _labq() -> ModuleType:
    module = ModuleType("labq")
    exec(compile(CODE, "docs/writing-importers.md", "exec"), vars(module))
    return module


class TestLabq(ImporterContract):
    importer = _labq().LABQ
    good = given(LOG)


def test_the_log_in_the_page_is_a_run_of_three_tasks(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "labq", _labq())
    monkeypatch.setitem(importers.OURS, "labq", "labq:LABQ")
    (tmp_path / "jobs.log").write_text(LOG)

    told = importers.read_files([str(tmp_path / "jobs.log")], Wishes())

    assert (told.source, told.tables["tasks"].rows, told.tables["edges"].rows) == ("labq", 3, 2)
    assert list(told.tables["tasks"]["type"]) == ["prepare", "train", "train"]


@pytest.mark.parametrize(("line", "said"), [("a 1 x -", "line 2"), ("a 5 1 -", "ends before")])
def test_what_is_wrong_in_a_log_is_named(line, said):
    with pytest.raises(LongpoleError, match=said):
        _labq().LABQ.read([given(f"#labq 1\n{line}\n")], Wishes())
