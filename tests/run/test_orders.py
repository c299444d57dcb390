"""Which tasks an engine has waiting for a worker."""

from __future__ import annotations

import pytest

from longpole.model.workflow import Call, Resources, Template, Uses
from longpole.run.capacity import Waiting
from longpole.run.orders import needs_of

_MADE = (Uses("out", ("made/{tile}.txt",)),)


@pytest.mark.parametrize(
    "template",
    [
        Template("t", "true"),
        Template("t", "touch {out}", for_each=(("tile",),), outputs=_MADE),
        Template("t", call=Call(print)),
    ],
)
def test_plain_programs_and_functions_wait_at_the_engine(template):
    assert isinstance(needs_of(template), Waiting)


@pytest.mark.parametrize(
    "template",
    [
        Template("t", "true", timeout_s=1.0),
        Template("t", call=Call(print), timeout_s=1.0),
        Template("t", "true", image="image.sqfs"),
        Template("t", "true", checkpoints=("state",)),
        Template("t", "true", resources=Resources(cores=2)),
        Template("t", "true", resources=Resources(memory_bytes=1)),
        Template("t", "true", resources=Resources(gpus=1)),
        Template("t", "cut", outputs=_MADE),
        Template("t", "cat < {all.list}", inputs=(Uses("all", ("x",)),)),
        Template("t", "true", outputs=(Uses("", ("folder/",)),)),
    ],
)
def test_whatever_the_driver_sees_to_itself_does_not_wait(template):
    assert not isinstance(needs_of(template), Waiting)
