"""Which processes are told of before they end."""

from __future__ import annotations

from longpole.model.workflow import Call, Template
from longpole.run.engines.local.long_running import long_parts
from longpole.run.engines.opened import Execution, OpenJob
from longpole.run.orders import TaskOrder
from longpole.store.derive.workflow_notes import Part
from tests.run.engines.local.alone import job

SECOND = 1_000_000_000
NOBODY = dict.fromkeys(range(10), (0, 0))


def executing(number: int, *, several: bool = False, **more) -> OpenJob:
    opened = job(number=number, several=several)
    opened.executing[7] = Execution(TaskOrder(7, "t", Template("t")), **{"start_ns": SECOND, **more})
    return opened


def test_a_process_is_told_of_once_when_it_has_run_for_a_while() -> None:
    jobs = [executing(0, pid=41)]

    assert long_parts(jobs, NOBODY.__getitem__, SECOND + SECOND // 2) == []
    assert long_parts(jobs, NOBODY.__getitem__, 2 * SECOND) == [
        (jobs[0], Part("exec", SECOND, 0, pid=41, own=1))
    ]
    assert long_parts(jobs, NOBODY.__getitem__, 3 * SECOND) == []


def test_a_task_at_a_worker_is_told_of_by_the_process_that_the_worker_has_started() -> None:
    begun, waits = executing(0, key=5), executing(1, key=6)
    started = {5: (42, 3 * SECOND), 6: (0, 0)}

    first = long_parts([begun, waits], started.__getitem__, 4 * SECOND)
    started[6] = (43, 5 * SECOND)
    second = long_parts([begun, waits], started.__getitem__, 6 * SECOND)

    assert first == [(begun, Part("exec", 3 * SECOND, 0, pid=42, own=1))]
    assert second == [(waits, Part("exec", 5 * SECOND, 0, pid=43, own=1))]


def test_of_a_job_of_several_the_task_is_told_and_a_function_has_no_process() -> None:
    several, function = executing(0, several=True, pid=44), executing(1, pid=45)
    function.executing[7].order.call = ((), {})
    function.executing[7].order.template = Template("f", call=Call(len))

    found = long_parts([several, function], NOBODY.__getitem__, 9 * SECOND)

    assert found == [(several, Part("exec", SECOND, 0, task=8, pid=44, own=1))]
