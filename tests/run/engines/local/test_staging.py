"""How files come to jobs in containers: nothing that the run keeps can be changed from within."""

from __future__ import annotations

import pytest

from longpole.model.staging import Item
from longpole.model.workflow import Template
from longpole.run.engines.local.staging import _into_container
from longpole.run.engines.opened import OpenJob
from longpole.run.orders import Output, TaskOrder


@pytest.mark.parametrize(("folder", "way"), [("in/", "hardlink"), ("", "copy")])
def test_inputs_that_cannot_all_be_kept_from_changes_are_copied(folder, way):
    job = OpenJob(0, 1, 1, "/job", True, False, lambda _: True, lambda task: task)
    order = TaskOrder(0, "t", Template("t", "true", image="image"))
    order.outputs = (Output("made.txt"),)
    job.orders = {0: order}
    items = [Item(f"{folder}{number}", f"/kept/{number}") for number in range(300)]

    assert _into_container(job, items) == way
