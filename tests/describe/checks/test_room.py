"""Resources that no machine here has are told before anything runs."""

from __future__ import annotations

import pytest

from longpole.describe.checks.room import check_resources
from longpole.model.workflow import WorkflowError
from tests.describe.tiles import one_task, workflow

TASK = workflow(one_task("run: x\nresources: {cores: 8, memory: 4 GB, gpus: 4, nodes: 2}"))


def test_a_task_that_fits_is_fine():
    check_resources(TASK, cores=8, memory_bytes=4_000_000_000, gpus=4, nodes=2)


def test_everything_that_is_too_much_is_told():
    with pytest.raises(WorkflowError) as caught:
        check_resources(TASK, cores=2, memory_bytes=2_000_000_000, gpus=0, nodes=1)

    assert str(caught.value).splitlines() == [
        f"tiles.yaml:3: Task 'train' needs {wanted}; this machine has {there}. "
        f"Lower '{key}' or run it on another machine."
        for wanted, there, key in (
            ("8 cores", "2", "cores"),
            ("4 GPUs", "none", "gpus"),
            ("2 nodes", "1", "nodes"),
            ("4 GB of memory", "2 GB", "memory"),
        )
    ]
