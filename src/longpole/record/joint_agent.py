"""The agent of a joint run on one node: it serves whoever comes, one log after another.

While there is a launcher it is an agent like any other. With the last one its log ends, so that what lies on
the disk is complete whenever nobody is there. It waits a little longer, since a loop of short commands would
otherwise start an agent for each; then it takes the meeting place away and ends. Whoever comes in that very
moment finds no agent, and starts one.
"""

from __future__ import annotations

import gc
import os
import select
import time

from longpole.record.agent import Agent
from longpole.record.assignment import Assignment
from longpole.record.losses import describe_losses
from longpole.record.node import place_of, sweep
from longpole.record.proc import count_forks
from longpole.record.samplers.clocks import ClockComparer
from longpole.record.samplers.cost import used_us
from longpole.record.samplers.members import MemberCollector

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from typing import Any

    from longpole.model.ports import Source
    from longpole.record.node import Node

# How long an agent waits for the next launcher.
GRACE_S = 3.0
_GATHER_S = 0.005


class JointAgent(Agent):
    """Serves all launchers of a run on this node until the last has gone."""

    def __init__(self, assignment: Assignment, node: Node) -> None:
        """Begin a log; this alone may raise ``OSError``."""
        super().__init__(assignment)
        self._node = node
        self._members: MemberCollector | None = None
        self._jobs: Any = None

    def _first_manifest(self) -> dict[str, Any]:
        return {}  # whoever made the run has written it

    def run(self, control: int) -> dict[str, Any]:
        """Serve until no launcher is there; return what could not be kept."""
        self._note_host()
        self._start_sources()
        self._loop(control)
        for source in list(self._sources):
            self._try(source, source.finish)
        report = self._close()
        if not os.path.isdir(self._assignment.run_path):
            report["unsaved"] = "was removed while recording"
        return report

    def release(self) -> None:
        """Let the launchers go that have waited for the end of the log."""
        if self._members is not None:
            self._members.release()

    def _start_sources(self) -> None:
        super()._start_sources()
        log_name = os.path.basename(self._log.path)
        run_path = self._assignment.run_path
        self._start("clocks", lambda: ClockComparer(self._journal, run_path, log_name))

    def _phase_collector(self) -> Source:
        assignment = self._assignment
        collector = MemberCollector(self._journal, self._tree, assignment.rings_folder, self._welcome)
        self._phases = self._members = collector
        return collector

    def _flush(self) -> None:
        self._journal.flush()
        if self._log.trouble:  # said before the launchers that wait are let go
            self._node.say_trouble(f"writing to {self._assignment.run_path} fails ({self._log.trouble})")
        if self._members is not None:
            self._members.commit()

    def _welcome(self, facts: dict[str, Any]) -> None:
        if "task" in facts:  # who told of the task tells how long it waited, too
            return
        if "slurm" in facts and self._jobs is None:
            from longpole.record.samplers.slurm import SlurmJobs

            self._jobs = SlurmJobs(self._journal, self._assignment.asked)
            self._sources.append(self._jobs)
        if self._jobs is not None:
            self._jobs.welcome(facts)

    def _ended(self, control: int, wait_s: float) -> bool:
        """Wait for the next turn, or until a launcher has come or ended; return whether none is left."""
        if self._members is None or not self._members.members:
            return True
        waiting = select.poll()
        for descriptor in self._watched(control):
            waiting.register(descriptor, select.POLLIN)
        ready = [descriptor for descriptor, _ in waiting.poll(wait_s * 1000)]
        if ready:
            time.sleep(min(_GATHER_S, wait_s))  # others often come at the same time
            self._look_around(control, ready)
        return not self._members.members

    def _look_around(self, control: int, ready: list[int]) -> None:
        if control in ready:
            drain(control)
        now_ns = time.monotonic_ns()
        if self._exits in self._sources:
            self._try(self._exits, self._exits.sample, now_ns)
        if control in ready and self._members in self._sources:
            assert self._members is not None
            self._try(self._members, self._members.sample, now_ns)
            self._flush()


def drain(pipe: int) -> None:
    """Take all that has come through the pipe that wakes."""
    try:
        while os.read(pipe, 65536):
            pass
    except BlockingIOError:
        pass


def serve_all(node: Node, assignment: Assignment, pipe: int) -> None:
    """Serve launchers as long as there are any, and a little longer."""
    gc.enable()
    gc.freeze()
    assignment.place = place_of(node.folder)
    sweep(os.path.dirname(node.folder))
    while node.members() or _awaited(node, pipe):
        agent = JointAgent(assignment, node)
        node.say_trouble("; ".join(describe_losses(agent.run(pipe), assignment.run_path)))
        agent.release()
        _forget(assignment.exit_records)
        assignment.told_us = used_us()
        assignment.began_ns = time.monotonic_ns()
        assignment.forks_before = count_forks()


def _forget(exit_records: _socket.socket | None) -> None:
    """Leave no record of strangers for the next log: they would fill the buffer meanwhile."""
    try:
        while exit_records is not None and exit_records.recv(65536):
            pass
    except OSError:
        pass  # none is left


def _awaited(node: Node, pipe: int) -> bool:
    """Wait for a launcher; return whether one has come."""
    until = time.monotonic() + GRACE_S
    waiting = select.poll()
    waiting.register(pipe, select.POLLIN)
    while (left := until - time.monotonic()) > 0:
        if waiting.poll(left * 1000):
            drain(pipe)
        if node.members():
            return True
    return False
