"""The parts that a runner decides with, around a few tasks and without a runner."""

from __future__ import annotations

from longpole.model.plan import Clustering
from longpole.model.workflow import NamedSet, Template
from longpole.plan.clusters import Clusters
from longpole.plan.expansion import Expansion
from longpole.run.capacity import Capacity
from longpole.run.failing import Failing
from longpole.run.gathering import Gathering
from longpole.run.growth import Growth
from longpole.run.inside import Inside
from longpole.run.jobs import Graph, Job
from longpole.run.losses import Losses
from longpole.run.messages import Instruction
from longpole.run.policy import Policy
from longpole.run.readiness import Readiness
from longpole.run.room import Room
from longpole.run.tally import Tally
from tests.plan.described import workflow


class Decided:
    """All parts, and the jobs of the tasks that are known from the start."""

    def __init__(
        self, *described: Template | NamedSet, clustering: Clustering | None = None, cores: int = 2, **more
    ) -> None:
        self.expansion = Expansion(workflow(*described), {})
        clusters = Clusters(clustering or Clustering(), self.expansion)
        self.capacity = Capacity(cores, 1000, 0)
        self.policy = Policy(
            capacity=self.capacity,
            levels=self.expansion.levels,
            cluster=lambda new: [(each.label, each.tasks) for each in clusters.assign(new) if each.label],
            label=clusters.label_of,
            **more,
        )
        self.out: list[Instruction] = []
        self.graph = Graph(self.expansion)
        self.tally = Tally(self.expansion.workflow.templates)
        self.growth = Growth(self.expansion, self.policy.levels)
        self.losses = Losses(self.graph, self.growth, self.tally, self.policy)
        self.gathering = Gathering(self.expansion, self.policy, self.graph, self.growth, self.losses)
        self.room = Room(self.graph, self.capacity, self.tally)
        self.readiness = Readiness(self.policy, self.gathering, self.room)
        self.failing = Failing(self.graph, self.tally, self.losses, self.room, self.out)
        self.inside = Inside(self.graph, self.tally, self.gathering, self.failing, self.out)
        self.jobs: list[Job] = self.gathering.gather(self.growth.expand())

    def told(self) -> list[Instruction]:
        """Return the instructions since the last time."""
        out = self.out[:]
        self.out.clear()
        return out

    def admitted(self) -> list[int]:
        """Let all jobs that wait have room, as far as there is some; return them."""
        return [job.number for job in self.room.admit()]
