"""A runner, the engine alone and a journal around a workflow of one job: what a driver joins, without it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from longpole.model.workflow import Workflow
from longpole.plan.expansion import Expansion
from longpole.run.capacity import Capacity
from longpole.run.engines.local.engine import LocalEngine
from longpole.run.identities import Identities
from longpole.run.journal import Journal
from longpole.run.messages import Assisted, Auxiliary, Event, Instruction
from longpole.run.orders import TaskOrder
from longpole.run.policy import Policy
from longpole.run.runner import Runner
from longpole.store.driver_log import DriverLog
from longpole.store.workflow import read_driver_logs
from tests.run.engines.local.alone import engine_alone, job, until_event
from tests.run.test_journal import DRIVER


@dataclass
class Leading:
    """The parts, with the first instructions of the runner already given."""

    folder: Path
    runner: Runner
    engine: LocalEngine
    journal: Journal
    identities: Identities
    instructions: list[Instruction]

    def executed(self, order: TaskOrder) -> Event:
        """Let the engine do the first job; return what is heard of it."""
        self.engine.open(job(self.folder), [order])
        return until_event(self.engine)

    def log(self) -> DriverLog:
        """Return what was written down."""
        self.journal.flush()
        return read_driver_logs(self.folder)


@contextmanager
def leading(folder: Path, described: Workflow) -> Iterator[Leading]:
    """Have all parts."""
    (folder / "log").mkdir()
    expansion = Expansion(described, {})
    runner = Runner(expansion, Policy(Capacity(1, None, 0), expansion.levels))
    journal = Journal(str(folder), {}, {})
    journal.begin(DRIVER)
    identities = Identities(runner, journal)
    runner.start()
    instructions = runner.take(Assisted(Auxiliary.CREATE_DIR, 0))
    identities.grow()
    with engine_alone(folder) as engine:
        yield Leading(folder, runner, engine, journal, identities, instructions)
    journal.close()
