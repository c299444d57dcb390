"""The rule that the manual tells how to write."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from longpole.analyse.rules.case import Rule
from tests.analyse.planted import Planted
from tests.analyse.rules.shapes import is_silent

PAGE = Path(__file__).parents[3] / "docs" / "writing-rules.md"


@pytest.fixture
def rule() -> Rule:
    (code,) = re.findall(r"```python title=[^\n]*\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), names)  # the page is ours
    found: Rule = names["RULE"]
    return found


def test_the_rule_of_the_manual_finds_plots(rule):
    run = Planted(20.0)
    process = run.phase("process", "python", 0.0, 20.0)
    run.phase("plot", "figure 3", 4.0, 9.0, parent=process)
    run.phase("plot", "figure 4", 12.0, 15.0, parent=process)

    (found,) = run.findings(rule)

    assert (found.rule, found.phase, found.saving_s) == ("plots", "figure 3", pytest.approx(8.0))
    assert found.saving_low_s == pytest.approx(4.0)
    assert found.evidence == ("2 plots took 8.0 s, 40 % of the run.",)


def test_the_rule_of_the_manual_leaves_plots_beside_the_path_alone(rule):
    run = Planted(20.0)
    process = run.phase("process", "python", 0.0, 20.0)
    run.phase("phase", "compute", 0.0, 19.0, parent=process)
    run.phase("plot", "figure 3", 4.0, 9.0, parent=process)

    assert is_silent(run, rule)
