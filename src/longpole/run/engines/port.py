"""What the driver needs of an engine: one machine has one, and a cluster may have another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from longpole.model.staging import Item, Moved
from longpole.run.engines.opened import OpenJob
from longpole.run.messages import Event
from longpole.run.orders import TaskOrder
from longpole.store.derive.workflow_notes import Part

Delivered = Callable[[str, Moved], None]
"""Hears why files could not be delivered, empty if they were, and what was moved."""


class Engine(Protocol):
    """Executes jobs. Used by one thread; no method but ``wait`` and ``close`` may block.

    What a method brings about is told by ``wait``, as events. A job is known until ``forget``, ``discard`` or
    ``abandon``. Whatever goes wrong with a job is an event, and never raised.
    """

    @property
    def asked_to_stop(self) -> int:
        """How often the user has asked to stop."""

    @property
    def ahead(self) -> int:
        """How many tasks of one core it takes beyond those it executes: they wait until one is free."""

    def job(self, number: int) -> OpenJob | None:
        """Return a job that is open."""

    def opened(self) -> list[OpenJob]:
        """Return all jobs that are open."""

    def unbegun(self) -> set[int]:
        """Return the keys of executions that wait."""

    def open(self, job: OpenJob, orders: Sequence[TaskOrder]) -> None:
        """Make a job ready. Of several tasks, ``Opened`` or ``Broken`` follows.

        A single task is executed, and its job closed: ``Closed`` or ``Broken`` follows in the end.
        """

    def execute(self, number: int, order: TaskOrder) -> None:
        """Execute a task of an open job of several; ``Executed`` follows."""

    def finish(self, number: int) -> None:
        """Put what an open job of several tasks has made in its place; ``Closed`` or ``Broken`` follows."""

    def discard(self, number: int) -> None:
        """Forget an attempt that failed, but for checkpoints."""

    def abandon(self, number: int) -> None:
        """Let go of a job that was given up; its folder stays for the user to look at."""

    def forget(self, number: int) -> None:
        """Let go of a job that is closed."""

    def stop(self, number: int) -> None:
        """Ask all tasks of a job to end, and kill them if they do not; may be called again."""

    def kill(self, number: int) -> None:
        """End all tasks of a job at once."""

    def end_transfers(self) -> None:
        """End all movements of files at once."""

    def take_parts(self, number: int) -> list[Part]:
        """Return the phases of a job that were not told yet."""

    def long_parts(self, now_ns: int) -> list[tuple[OpenJob, Part]]:
        """Return processes that have run for a while and were not told of yet, as phases without an end."""

    def deliver(self, items: Sequence[Item], folder: str, then: Delivered) -> None:
        """Copy files that the run keeps into a folder; ``then`` is called when that has ended."""

    def wait(self, timeout_s: float) -> list[Event]:
        """Wait until something has happened, at most so long; return all that has."""

    def close(self) -> None:
        """End everything, and give back what was taken."""
