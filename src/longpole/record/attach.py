"""Recording processes that already run: nothing of theirs is touched, /proc is read beside them.

They are no children of ours, so what a launcher knows of a command is missing: how it ended, and exact
totals. Phases are missing too: for them a process must be started with our hooks. The agent is the same as
for a command. This side waits for their end, or for a signal that ends the recording, and then lets the agent
put the run away.
"""

from __future__ import annotations

import os
import resource
import time

from longpole.errors import AttachError
from longpole.record.assignment import ALL_WELL, NOT_KNOWN, Assignment, Ending
from longpole.record.command import FAILED
from longpole.record.ends import wait_for_end
from longpole.record.launcher import say
from longpole.record.link import fork_agent
from longpole.record.options import name_of
from longpole.record.privileged import let_see_opens
from longpole.record.proc import count_forks
from longpole.record.reaper import Reaper
from longpole.record.rundir import create_run_folder, find_runs_folder
from longpole.record.supervise import take_signals
from longpole.record.targets import announcement, find_targets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.link import AgentLink
    from longpole.record.options import RecordOptions
    from longpole.record.targets import Target

_LAST_WORD_LIMIT_S = 20.0
_LONGEST_NAME = 200


def attach(options: RecordOptions) -> int:
    """Record processes that already run until they end or we are told to; return the exit code to end with.

    Raises:
        AttachError: They cannot be recorded, or there is no place for a run.
    """
    targets = find_targets(options.pids)
    take_signals()
    assignment = _assignment(targets, options)
    troubles = let_see_opens(assignment) if options.files else []
    link = _start_agent(assignment)
    reaper = Reaper(None, link.pid)
    began_ns = time.monotonic_ns()
    say(announcement(targets))
    wait_for_end(targets, reaper)
    ending = Ending(NOT_KNOWN, 0, began_ns, time.monotonic_ns())
    ending.troubles = troubles
    code = _put_away(assignment, link, ending, reaper)
    if ending.troubles:
        say("; ".join(ending.troubles))
    return code


def _assignment(targets: tuple[Target, ...], options: RecordOptions) -> Assignment:
    first = targets[0]
    name = options.name or name_of(first.command)[:_LONGEST_NAME]
    assignment = Assignment(_run_folder(options.runs, name), "", os.getpid())
    assignment.attached = targets
    assignment.name, assignment.command = name, first.command
    assignment.folder, assignment.environment = first.folder, first.environment
    assignment.rate_hz, assignment.rate_fixed = options.rate_hz, options.rate_fixed
    assignment.disk_bytes = options.disk_bytes
    return assignment


def _run_folder(given: str, name: str) -> str:
    where = given or "the folder of runs"
    try:
        where = find_runs_folder(given)
        return create_run_folder(where, name)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AttachError(f"Cannot write a run into {where}: {reason}.") from error


def _start_agent(assignment: Assignment) -> AgentLink:
    assignment.forks_before = count_forks() + 1  # the agent is none of theirs
    try:
        return fork_agent(assignment)
    except OSError as error:
        from shutil import rmtree

        rmtree(assignment.run_path, ignore_errors=True)
        raise AttachError(f"Cannot start the agent: {error.strerror}.") from error


def _put_away(assignment: Assignment, link: AgentLink, ending: Ending, reaper: Reaper) -> int:
    """Let the agent end the run, or do it in its place; what was lost is added to the troubles."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    ending.cpu_us = round((usage.ru_utime + usage.ru_stime) * 1e6)
    answer = link.finish(ending, _LAST_WORD_LIMIT_S)
    if answer or reaper.agent_status is not None:
        reaper.wait_for_agent()
    if answer == ALL_WELL:
        return 0
    from longpole.record.salvage import put_away_with_trouble

    troubles = list(ending.troubles)
    ending.troubles = troubles + put_away_with_trouble(assignment, ending, answer, reaper)
    return 0 if answer.startswith(b"{") else FAILED
