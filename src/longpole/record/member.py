"""One command among those that make a run together: it joins the run, and the agent of its node.

Everything goes into a ring that an agent on this node drains. Who finds no agent starts one; whoever still
runs when an agent is killed starts the next, which finds the rings as they were left. The end of a command
waits until its records are on the disk, since a batch system kills all that is left of a job at its end.
"""

from __future__ import annotations

import os
import resource
import time

from longpole.log.slots import COST, COST_LAYOUT, RING_SUFFIX
from longpole.record.assignment import Assignment
from longpole.record.client.phases import RINGS_VARIABLE
from longpole.record.client.ring import create_ring
from longpole.record.discretion import command_text
from longpole.record.hooked import with_hooks
from longpole.record.joint import join_run, last_activity_s
from longpole.record.json_text import short_json
from longpole.record.link import fork_joint_agent
from longpole.record.node import MEMBER_PREFIX, node_of
from longpole.record.options import DEFAULT_DISK_BYTES, name_of
from longpole.record.privileged import let_see_exits, let_see_opens
from longpole.record.proc import count_forks
from longpole.record.rundir import (
    LAUNCHER_VARIABLE,
    RUN_VARIABLE,
    find_runs_folder,
    remove_file,
    working_folder,
)
from longpole.record.surroundings import TASK_VARIABLE, here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from longpole.record.assignment import Ending
    from longpole.record.client.ring import Ring
    from longpole.record.node import Node
    from longpole.record.options import RecordOptions
    from longpole.record.reaper import Reaper

_SLOTS, _FIRST_SLOTS = 16384, 128
_MEMBER = 2
_LAST_WORD_LIMIT_S = 20.0
# How often a launcher looks whether there is an agent: soon after the start, then now and then.
_FIRST_LOOK_S, _LOOK_S = 0.5, 5.0
_ASK_S = 0.25
_MOST_AGENTS = 3
# A run that nothing was written into for so long may not be the one that was meant.
_LONG_AGO_S = 12 * 3600.0
_TRIES = 5


class Member:
    """One launcher of a joint run, or the reason why nothing is recorded."""

    def __init__(self, command: list[str], options: RecordOptions) -> None:
        """Take the command and the choices; nothing happens yet."""
        self._command = command
        self._options = options
        self._node: Node | None = None
        self._assignment: Assignment | None = None
        self._reaper: Reaper | None = None
        self._look_at = time.monotonic() + _FIRST_LOOK_S
        self._cpu_before_us = (0, 0)
        self.agent_pid = 0
        self.ring: Ring | None = None
        self.troubles: list[str] = []

    def count_from_now(self) -> None:
        """Let recording cost what this process uses from now on: before, it did something else."""
        self._cpu_before_us = _cpu_us()

    def start(self) -> None:
        """Join the run and find or start its agent; if that cannot be, the command runs unrecorded."""
        if self._options.join:
            self._start_there(self._options.join)
            return
        runs = self._options.runs or "the folder of runs"
        try:
            runs = find_runs_folder(self._options.runs)
            path = join_run(runs, self._options.into, new=self._options.new)
        except (OSError, ValueError) as error:
            self._fail(f"cannot write a run into {runs} ({getattr(error, 'strerror', None) or error})")
        else:
            self._start_in(path)

    def _start_there(self, path: str) -> None:
        if os.access(os.path.join(path, "log"), os.W_OK | os.X_OK):
            self._start_in(path)
        else:
            self._fail(f"cannot write into the run {path}")

    def _fail(self, why: str) -> None:
        self.troubles.append(f"nothing was recorded: {why}")

    def _start_in(self, path: str) -> None:
        idle_s = last_activity_s(path)
        if idle_s > _LONG_AGO_S and self._options.into:
            self.troubles.append(
                f"joined the run '{self._options.into}', into which nothing was recorded for"
                f" {idle_s / 3600:,.0f} hours; --new begins another of that name"
            )
        try:
            self._node, self.ring = self._meet(path)
        except OSError as error:
            self._fail(f"no room in /dev/shm ({error.strerror or error})")
            return
        self._assignment = self._assign(path, self._node)
        self._node.wake()
        if not self._find_agent():
            self._say_unheard()

    def _say_unheard(self) -> None:
        """Say which options come too late: the agent that is there goes by those of its first command."""
        options = self._options
        given = {
            "--files": options.files,
            "--rate": options.rate_fixed,
            "--disk": options.disk_bytes != DEFAULT_DISK_BYTES,
        }
        late = [name for name, is_given in given.items() if is_given]
        if late:
            self.troubles.append(
                f"{' and '.join(late)} had no effect: a command of this run was being recorded here already"
            )

    def _meet(self, path: str) -> tuple[Node, Ring]:
        """Put a ring where the agent finds it, whole from the first moment on."""
        for _ in range(_TRIES):
            node = node_of(path)
            try:
                ring = create_ring(node.folder, slots=_SLOTS, first=_FIRST_SLOTS, suffix=".joining")
                ring.once(self._hello())
                final = os.path.join(node.folder, f"{MEMBER_PREFIX}{ring.tag:016x}{RING_SUFFIX}")
                os.rename(ring.path, final)
            except FileNotFoundError:
                continue  # an agent that ended has just taken the folder away
            ring.path = final
            return node, ring
        raise OSError("the folder is taken away again and again")

    def _hello(self) -> str:
        facts = {
            "role": "member",
            "name": self._options.name or name_of(self._command),
            "command": command_text(self._command),
            "folder": working_folder(),
            "pid": os.getpid(),
            "began": time.monotonic_ns(),
            **here(self._options.task),
        }
        return short_json(facts)

    def _assign(self, path: str, node: Node) -> Assignment:
        assignment = Assignment(path, node.folder, 0)
        assignment.rate_hz, assignment.rate_fixed = self._options.rate_hz, self._options.rate_fixed
        assignment.disk_bytes = self._options.disk_bytes
        return assignment

    def _find_agent(self) -> bool:
        """Start an agent if there is none; return whether that was done."""
        if self._node is None or self._assignment is None:
            return False
        try:
            lock = self._node.lock()
            if lock < 0:
                return False
            let_see_exits(self._assignment)
            self.troubles += let_see_opens(self._assignment) if self._options.files else []
            self._assignment.forks_before = count_forks() + 1
            self.agent_pid = fork_joint_agent(self._node, self._assignment, lock)
        except OSError:
            return False  # the folder has been taken away: there is nothing left to drain
        if self._reaper is not None:
            self._reaper.follow(self.agent_pid)
        return True

    def looker(self, reaper: Reaper) -> Callable[[], float]:
        """Return what is to be called now and then while the command runs."""
        self._reaper = reaper
        return self._look

    def _look(self) -> float:
        left = self._look_at - time.monotonic()
        if left > 0:
            return left
        self._find_agent()
        self._look_at = time.monotonic() + _LOOK_S
        return _LOOK_S

    def environment(self) -> dict[str, str]:
        """Return the environment of the command."""
        environment = dict(os.environ)
        if self._assignment is not None:
            environment[RUN_VARIABLE] = self._assignment.run_path
            environment[RINGS_VARIABLE] = self._assignment.rings_folder
            environment[LAUNCHER_VARIABLE] = str(os.getpid())
            if self._options.task:
                environment[TASK_VARIABLE] = self._options.task
            with_hooks(environment, self._options.detail)
        return environment

    def discard(self) -> None:
        """Undo the start: the command never ran."""
        if self.ring is not None and self._node is not None:
            self.ring.close()
            remove_file(self.ring.path)
            self._node.wake()

    def finish(self, reaper: Reaper, ending: Ending) -> None:  # noqa: ARG002  as every recorder's
        """Wait until an agent has put everything away, and say what was lost."""
        if self.ring is None or self._node is None:
            return
        cpu = (now - before for now, before in zip(_cpu_us(), self._cpu_before_us, strict=True))
        times = ending.began_ns, time.monotonic_ns()
        self.ring.slot(COST_LAYOUT, COST, _MEMBER, 0, os.getpid(), *times, *cpu, 0, 0)
        self.ring.close()
        self._node.wake()
        if not self._is_put_away(self.ring.path):
            why = self._node.trouble() or "no agent has answered"
            self.troubles.append(f"the last records were not written: {why}")
        elif trouble := self._node.trouble():
            self.troubles.append(trouble)

    def _is_put_away(self, path: str) -> bool:
        began = asked = time.monotonic()
        agents, pause_s = 0, 0.001
        while os.path.exists(path):
            now = time.monotonic()
            if now - began > _LAST_WORD_LIMIT_S or agents > _MOST_AGENTS:
                remove_file(path)
                return False
            if now - asked > _ASK_S:
                agents += self._find_agent()
                asked = now
            time.sleep(pause_s)
            pause_s = min(pause_s * 1.5, 0.02)
        return True


def _cpu_us() -> tuple[int, int]:
    """Return the user and system time of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return round(usage.ru_utime * 1e6), round(usage.ru_stime * 1e6)
