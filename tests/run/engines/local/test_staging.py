"""How files come to jobs in containers: nothing that the run keeps can be changed from within."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.model.staging import Item
from longpole.model.workflow import Template
from longpole.run.engines.local.staging import _into_container
from longpole.run.engines.opened import OpenJob
from longpole.run.messages import Broken, Closed, Verdict
from longpole.run.orders import Output, TaskOrder
from tests.run.engines.local.alone import engine_alone, job, shell, until_event
from tests.run.staging.disks import small_tmpfs


@pytest.mark.parametrize(("folder", "way"), [("in/", "hardlink"), ("", "copy")])
def test_inputs_that_cannot_all_be_kept_from_changes_are_copied(folder, way):
    job = OpenJob(0, 1, 1, "/job", True, False, lambda _: True, lambda task: task)
    order = TaskOrder(0, "t", Template("t", "true", image="image"))
    order.outputs = (Output("made.txt"),)
    job.orders = {0: order}
    items = [Item(f"{folder}{number}", f"/kept/{number}") for number in range(300)]

    assert _into_container(job, items) == way


def test_an_errand_that_there_is_no_room_for_breaks_its_job_alone(tmp_path: Path) -> None:
    with small_tmpfs(tmp_path / "scratch", "1m") as disk, engine_alone(tmp_path, bring="copy") as engine:
        (disk / "ballast").write_bytes(bytes(950_000))
        order = shell("true", "out")
        order.inputs = tuple(Item(f"{'in' * 50}{number}", f"/nowhere/{number}") for number in range(3000))
        engine.open(job(tmp_path), [order])
        first = until_event(engine)
        engine.abandon(0)
        heard: list[str] = []
        engine.deliver(order.inputs, str(tmp_path / "out"), lambda cause, _: heard.append(cause))
        engine.open(job(number=1), [shell("true")])
        second = until_event(engine)

    folder = tmp_path / "scratch" / "0.1"
    sentence = "Moving files of {} could not begin: No space left on device."
    assert first == Broken(0, Verdict.FAILED, sentence.format(folder))
    assert heard == [sentence.format(tmp_path / "out")]
    assert isinstance(second, Closed)
