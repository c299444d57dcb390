"""Auxiliary jobs are written down as they begin and end, and told to the runner."""

from __future__ import annotations

from pathlib import Path

from longpole.model.failure import FailedTask
from longpole.model.staging import Moved, Transfer
from longpole.run.auxiliaries import Auxiliaries
from longpole.run.causes import Causes
from longpole.run.engines.port import Delivered
from longpole.run.messages import Assist, Assisted, Auxiliary
from tests.plan.described import task, workflow
from tests.run.leading import leading

ONE = workflow(task("a"))
MOVED = Moved((Transfer("out", 1, 2, 1, 5),), sizes={"out": 5})


def test_one_that_ends_later_is_told_then_and_committed_with_what_it_moved(tmp_path: Path) -> None:
    later: list[Delivered] = []
    with leading(tmp_path, ONE) as parts:
        causes = Causes(parts.runner, parts.engine)
        auxiliaries = Auxiliaries(lambda _, ended: later.append(ended), parts.journal, causes, 3)
        auxiliaries.begin(Assist(Auxiliary.STAGE_OUT, 2))
        before, open_before = auxiliaries.has_ended, _only(parts.log().jobs)
        later[0]("", MOVED)
        after = _only(parts.log().jobs)
        planned = list(parts.log().planned.values())[-1]

    assert not before
    assert [each.attempt for each in open_before.open] == [3]
    assert after.committed
    assert (planned.name, planned.type, planned.auxiliary) == ("stage_out 2", "stage_out", True)
    assert auxiliaries.has_ended
    assert auxiliaries.take() == [Assisted(Auxiliary.STAGE_OUT, 2)]
    assert auxiliaries.take() == []
    assert not causes.failed


def test_one_that_fails_is_told_to_the_user_and_written_down(tmp_path: Path) -> None:
    with leading(tmp_path, ONE) as parts:
        causes = Causes(parts.runner, parts.engine)
        auxiliaries = Auxiliaries(
            lambda _, ended: ended("There is no room.", Moved(())), parts.journal, causes, 1
        )
        auxiliaries.begin(Assist(Auxiliary.CREATE_DIR, 0))
        failed = _only(parts.log().jobs)

    assert failed.causes == ("There is no room.",)
    assert causes.failed == [FailedTask("create_dir", 1, "There is no room.")]
    assert auxiliaries.take() == [Assisted(Auxiliary.CREATE_DIR, 0, "There is no room.")]


def _only(jobs):
    (job,) = jobs.values()
    return job
