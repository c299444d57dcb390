"""Setting recording up, and putting the result away; what fails is remembered, never raised."""

from __future__ import annotations

import os
import resource

from longpole.record.assignment import ALL_WELL, Assignment
from longpole.record.client.phases import RINGS_VARIABLE
from longpole.record.client.ring import private_ring
from longpole.record.hooked import with_hooks
from longpole.record.link import fork_agent
from longpole.record.options import name_of
from longpole.record.privileged import let_see_exits, let_see_opens
from longpole.record.proc import count_forks
from longpole.record.rundir import (
    LAUNCHER_VARIABLE,
    RUN_VARIABLE,
    create_rings_folder,
    create_run_folder,
    find_runs_folder,
    remove_rings_folder,
    working_folder,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.assignment import Ending
    from longpole.record.client.ring import Ring
    from longpole.record.link import AgentLink
    from longpole.record.options import RecordOptions
    from longpole.record.reaper import Reaper

_LAUNCHER_SLOTS = 16384
_LAST_WORD_LIMIT_S = 20.0


class Recorder:
    """One recording: its run folder, its rings and its agent, or the reason why there is none."""

    def __init__(self, command: list[str], options: RecordOptions) -> None:
        """Take the command and the choices; nothing happens yet."""
        self._command = command
        self._options = options
        self._assignment: Assignment | None = None
        self._link: AgentLink | None = None
        self.ring: Ring | None = None
        self.troubles: list[str] = []

    @property
    def agent_pid(self) -> int:
        """The agent's pid, or 0."""
        return self._link.pid if self._link else 0

    def start(self) -> None:
        """Make the run folder and start the agent; if that cannot be, the command runs unrecorded."""
        runs = self._options.runs or "the folder of runs"
        try:
            runs = find_runs_folder(self._options.runs)
            path = create_run_folder(runs, self._options.name or name_of(self._command))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            self.troubles.append(f"nothing was recorded: cannot write a run into {runs} ({reason})")
            return
        self._start_in(path)

    def _start_in(self, path: str) -> None:
        assignment = self._assignment = Assignment(path, self._rings_folder(path), os.getpid())
        assignment.command, assignment.folder = self._command, working_folder()
        assignment.name = self._options.name or name_of(self._command)
        assignment.rate_hz, assignment.rate_fixed = self._options.rate_hz, self._options.rate_fixed
        assignment.disk_bytes = self._options.disk_bytes
        self.ring = private_ring(_LAUNCHER_SLOTS)
        self.ring.once('{"role": "launcher"}')
        assignment.launcher_ring = self.ring.memory
        let_see_exits(assignment)
        self.troubles += let_see_opens(assignment) if self._options.files else []
        assignment.forks_before = count_forks() + 1  # the agent is no process of the command
        try:
            self._link = fork_agent(assignment)
        except OSError as error:
            self.troubles.append(f"no samples were taken: cannot start the agent ({error.strerror})")

    def environment(self) -> dict[str, str]:
        """Return the environment of the command."""
        environment = dict(os.environ)
        if self._assignment is not None:
            environment[RUN_VARIABLE] = self._assignment.run_path
            environment[RINGS_VARIABLE] = self._assignment.rings_folder
            environment[LAUNCHER_VARIABLE] = str(os.getpid())
            if self._assignment.rings_folder:
                with_hooks(environment, self._options.detail)
        return environment

    def looker(self, reaper: Reaper) -> None:
        """Return what is to be called now and then while the command runs: nothing."""

    def discard(self) -> None:
        """Undo the start: the command never ran."""
        if self._link is not None:
            self._link.abandon()
            os.waitpid(self._link.pid, 0)
        if self._assignment is not None:
            from shutil import rmtree

            remove_rings_folder(self._assignment.rings_folder)
            rmtree(self._assignment.run_path, ignore_errors=True)

    def finish(self, reaper: Reaper, ending: Ending) -> None:
        """Let the agent put the run away, and remember what was lost."""
        if self._assignment is None:
            return
        usage = resource.getrusage(resource.RUSAGE_SELF)
        ending.cpu_us = round((usage.ru_utime + usage.ru_stime) * 1e6)
        ending.troubles = self.troubles
        answer = self._link.finish(ending, _LAST_WORD_LIMIT_S) if self._link else b""
        if answer or reaper.agent_status is not None:
            reaper.wait_for_agent()
        if answer != ALL_WELL:
            from longpole.record.salvage import put_away_with_trouble

            self.troubles += put_away_with_trouble(self._assignment, ending, answer, reaper)
        remove_rings_folder(self._assignment.rings_folder)

    def _rings_folder(self, run_path: str) -> str:
        try:
            return create_rings_folder(run_path)
        except OSError as error:
            self.troubles.append(f"phases were not recorded: no room in /dev/shm ({error.strerror or error})")
            return ""
