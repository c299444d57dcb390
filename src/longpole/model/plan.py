"""A plan: which jobs a workflow becomes under a placement of its data, and what that moves.

Four placements are those of a performance characterization of scientific ML workflows (Krawczuk et al. 2021);
``links`` is ours: one machine, on which nothing needs to move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from longpole.model.workflow import Resources, WorkflowError
from longpole.units import Bytes


class Placement(StrEnum):
    """Where the data of a workflow lies, and how it comes to the jobs."""

    LINKS = "links"
    BASELINE = "baseline"
    CONTAINER_INSTALLED = "container-installed"
    CLUSTERING = "clustering"
    SHARED_FS = "shared-fs"


# As tables and comparisons have them: from what moves most to what moves least.
IN_ORDER = (
    Placement.BASELINE,
    Placement.LINKS,
    Placement.CONTAINER_INSTALLED,
    Placement.SHARED_FS,
    Placement.CLUSTERING,
)


class Handing(StrEnum):
    """What becomes of the outputs of a job."""

    MOVE = "move"
    SEND = "send"


class Scratch(StrEnum):
    """Where jobs have their folders: on a disk of the worker, or where the run keeps its files."""

    OWN = "own"
    SHARED = "shared"


class Sent(StrEnum):
    """Whether something is sent to every job, or is there already."""

    EACH_JOB = "each job"
    THERE = "there"


@dataclass(frozen=True, slots=True)
class Rules:
    """How a placement moves data.

    Attributes:
        about: What it is, in a line.
        stage_in: The way inputs come: the name of one of the ways that move files.
        stage_out: What becomes of outputs.
        stage_out_way: The way outputs are sent, where they are sent.
        scratch: Where jobs have their folders.
        image: Whether the container image is sent.
        programs: Whether executables are put into the folders of jobs.
        connections: How many transfers go on at once.
    """

    about: str
    stage_in: str
    stage_out: Handing
    stage_out_way: str = ""
    scratch: Scratch = Scratch.OWN
    image: Sent = Sent.THERE
    programs: Sent = Sent.EACH_JOB
    connections: int = 8

    @property
    def copies(self) -> bool:
        """Whether what comes to a job is a copy, and not a link to it."""
        return self.stage_in not in ("link", "hardlink")


RULES: Mapping[Placement, Rules] = MappingProxyType(
    {
        Placement.LINKS: Rules("one machine: inputs are linked, outputs renamed", "link", Handing.MOVE),
        Placement.BASELINE: Rules(
            "inputs by HTTP to every job, outputs back by scp, the image to every job",
            "http",
            Handing.SEND,
            "ssh",
            image=Sent.EACH_JOB,
        ),
        Placement.CONTAINER_INSTALLED: Rules(
            "inputs by HTTP to every job, outputs back by scp, the image is there already",
            "http",
            Handing.SEND,
            "ssh",
        ),
        Placement.CLUSTERING: Rules(
            "tasks that share files are one job, which gets a whole node and each file once",
            "http",
            Handing.SEND,
            "ssh",
            image=Sent.EACH_JOB,
            connections=24,
        ),
        Placement.SHARED_FS: Rules(
            "all data on a file system that is also the scratch: inputs are linked, outputs renamed",
            "link",
            Handing.MOVE,
            scratch=Scratch.SHARED,
            programs=Sent.THERE,
        ),
    }
)


class Grouping(StrEnum):
    """Which tasks run as one job."""

    NONE = "none"
    LABEL = "label"
    HORIZONTAL = "horizontal"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Clustering:
    """Which tasks run as one job.

    Attributes:
        how: By label, all of them, or those of one template and level (horizontally).
        tasks: Horizontally: so many tasks a job.
        jobs: Horizontally: so many jobs for each template.
        size_bytes: Horizontally: tasks until their inputs have so many bytes.
    """

    how: Grouping = Grouping.NONE
    tasks: int | None = None
    jobs: int | None = None
    size_bytes: Bytes | None = None

    def __post_init__(self) -> None:
        """Check that it can be."""
        given = [value for value in (self.tasks, self.jobs, self.size_bytes) if value is not None]
        if len(given) != (1 if self.how is Grouping.HORIZONTAL else 0):
            raise WorkflowError(
                "Horizontal clusters have so many tasks, jobs or bytes, one of these; others none of them."
            )
        if any(value < 1 for value in given):
            raise WorkflowError(f"A cluster cannot have {given[0]} tasks, jobs or bytes: give 1 or more.")

    def __str__(self) -> str:
        """Return it as the command line takes it."""
        if self.how is not Grouping.HORIZONTAL:
            return str(self.how)
        known = {"tasks": self.tasks, "jobs": self.jobs, "bytes": self.size_bytes}
        return next(f"{name}={value}" for name, value in known.items() if value is not None)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that may be known in part only.

    Attributes:
        at_least: As far as it is known.
        exact: Whether there is no more to it.
    """

    at_least: int
    exact: bool = True

    @property
    def value(self) -> int | None:
        """The number; None if it is not known."""
        return self.at_least if self.exact else None


@dataclass(frozen=True, slots=True)
class TaskType:
    """The tasks of one template.

    Attributes:
        name: The template's name.
        level: How many come one after another before it, counted from 1, in the graph of jobs.
        tasks: How many there are; None where that is known during the run only.
        inputs: The fewest and the most files that one of them uses, besides its program, code and image.
        outputs: The fewest and the most files that one of them makes.
        makes_many: Whether it makes files besides, whose number is known when it has run.
        resources: What each needs.
        cluster: The label of its cluster; empty if it has none.
        before: The types that it waits for.
        known_after: Sets that must be known before its tasks are, and the types that make them.
    """

    name: str
    level: int
    tasks: int | None
    inputs: tuple[int, int] = (0, 0)
    outputs: tuple[int, int] = (0, 0)
    makes_many: bool = False
    resources: Resources = field(default_factory=Resources)
    cluster: str = ""
    before: tuple[str, ...] = ()
    known_after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Movement:
    """What is copied in one direction."""

    files: Amount
    moved_bytes: Amount


@dataclass(frozen=True, slots=True)
class Plan:
    """What would happen if a workflow ran now.

    Attributes:
        workflow: Its name.
        placement: Where data lies.
        clustering: Which tasks are one job.
        tasks: How many there are.
        jobs: How many there are, auxiliary ones not counted.
        auxiliary_jobs: create_dir, cleanup, and stage_out and register for each level.
        files_staged_in: By the rule of the paper: inputs, programs and images, for every job.
        brought: What is really copied to jobs.
        sent: What is really copied back.
        levels: How many jobs each level has; None where that is not known.
        types: Tasks by type, in an order in which they could run.
        unknown_sets: Sets that are known during the run only.
        outside_files: How many files come from outside.
        missing_files: How many of these are not there.
    """

    workflow: str
    placement: Placement
    clustering: Clustering
    tasks: Amount
    jobs: Amount
    auxiliary_jobs: Amount
    files_staged_in: Amount
    brought: Movement
    sent: Movement
    levels: tuple[int | None, ...]
    types: tuple[TaskType, ...]
    unknown_sets: tuple[str, ...] = ()
    outside_files: int = 0
    missing_files: int = 0

    @property
    def files_moved(self) -> Amount:
        """Files that are really copied, to jobs and back."""
        return total([self.brought.files, self.sent.files])

    @property
    def bytes_moved(self) -> Amount:
        """Bytes that are really copied, to jobs and back."""
        return total([self.brought.moved_bytes, self.sent.moved_bytes])


def total(amounts: list[Amount]) -> Amount:
    """Return the sum of amounts; it is known if all of them are."""
    return Amount(sum(each.at_least for each in amounts), all(each.exact for each in amounts))
