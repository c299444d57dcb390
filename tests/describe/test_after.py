from __future__ import annotations

import pytest

from longpole.describe.load import load_workflow
from longpole.model.workflow import WorkflowError

_TEXT = """\
longpole: 1
tasks:
  first: {run: "true"}
  second: {run: "true", after: %s}
"""


@pytest.mark.parametrize("named", ["first", "[first]", "[first, first]"])
def test_a_task_names_those_it_comes_after(tmp_path, named):
    file = tmp_path / "w.yaml"
    file.write_text(_TEXT % named)

    assert load_workflow(file).templates["second"].after == ("first",)


def test_a_task_that_is_not_there_cannot_come_before(tmp_path):
    file = tmp_path / "w.yaml"
    file.write_text(_TEXT % "frist")

    with pytest.raises(WorkflowError, match=r"w.yaml:4: .*no task 'frist'.*Did you mean 'first'\?"):
        load_workflow(file)


def test_a_task_that_comes_after_itself_is_a_cycle(tmp_path):
    file = tmp_path / "w.yaml"
    file.write_text(_TEXT % "second")

    with pytest.raises(WorkflowError, match="second"):
        load_workflow(file)


def test_what_is_no_name_cannot_come_before(tmp_path):
    file = tmp_path / "w.yaml"
    file.write_text(_TEXT % "{a: b}")

    with pytest.raises(WorkflowError, match="names of tasks"):
        load_workflow(file)
