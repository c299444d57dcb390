"""How a run is to go: what the runner asks of who put it together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from longpole.model.workflow import Resources, Template
from longpole.run.capacity import Capacity
from longpole.run.jobs import Job
from longpole.run.messages import Made


@dataclass(frozen=True, slots=True)
class Known:
    """What a task has made, and returned, that need not run: in this run, or before it (``cached``)."""

    made: tuple[Made, ...] = ()
    value: bytes = b""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Policy:
    """How a run is to go.

    Attributes:
        capacity: What the machine has.
        levels: The level of each template's jobs.
        keep_going: Whether what does not depend on a failure goes on.
        cluster: Gives new tasks to jobs of several: labels, and the tasks of each. Others are jobs of one.
        label: Returns the label that tasks of a template, by its name, will have that are not known yet.
        needs: Returns what a job of one task holds while it is open.
        earlier: Returns the label of the job that a task is committed in since before this driver: empty if
            alone there, None if it is not.
        is_taken: Returns whether a label is that of such a job.
        known: Returns what the tasks of a job have made, in their order, if it need not run; asked when all
            that it uses is there.
        attempts: How often a job was tried before this driver, by the names of its tasks or its label.
    """

    capacity: Capacity
    levels: Mapping[str, int]
    keep_going: bool = False
    cluster: Callable[[range], Iterable[tuple[str, Sequence[int]]]] = lambda _: ()
    label: Callable[[str], str] = lambda _: ""
    needs: Callable[[Template], Resources] = lambda template: template.resources
    earlier: Callable[[int], str | None] = lambda _: None
    is_taken: Callable[[str], bool] = lambda _: False
    known: Callable[[Job], Sequence[Known] | None] = lambda _: None
    attempts: Callable[[Job], int] = lambda _: 0
