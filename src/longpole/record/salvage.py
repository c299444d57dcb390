"""Putting a run away when not all is well: the agent is gone, or it could not write everything."""

from __future__ import annotations

import json
import os
import time

from longpole.log.files import LogWriter
from longpole.record.journal import Journal
from longpole.record.losses import describe_losses
from longpole.record.manifest import MANIFEST, first_facts, last_facts, save
from longpole.record.rings import RingReader
from longpole.record.samplers.phases import PhaseCollector
from longpole.record.samplers.tree import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.assignment import Assignment, Ending
    from longpole.record.reaper import Reaper


def put_away_with_trouble(assignment: Assignment, ending: Ending, answer: bytes, reaper: Reaper) -> list[str]:
    """Do what the agent has not done; return what was lost, each in a few words."""
    if answer.startswith(b"{"):
        return describe_losses(json.loads(answer), assignment.run_path)
    if not os.path.isdir(assignment.run_path):
        return [f"the run {assignment.run_path} was removed while recording"]
    what = answer.decode("utf-8", "replace") if answer else _how_it_ended(reaper)
    losses = describe_losses(_salvage_rings(assignment), assignment.run_path)
    complete = not losses and not assignment.attached  # those have no totals but of samples
    rest = "samples after that are missing" + (", totals are complete" if complete else "")
    troubles = [f"the agent {what}: {rest}", *losses]
    ending.troubles = ending.troubles + troubles
    facts = last_facts(ending, reaper.agent_cpu_s)
    if assignment.attached:
        facts["state"] = "broken"  # what is recorded goes on, and nobody sees it
    try:
        save(assignment.run_path, {**_manifest_so_far(assignment), **facts})
    except OSError as error:
        troubles.append(f"the run {assignment.run_path} is incomplete ({error.strerror})")
    return troubles


def _manifest_so_far(assignment: Assignment) -> dict[str, Any]:
    try:
        with open(os.path.join(assignment.run_path, MANIFEST)) as file:
            return dict(json.load(file))
    except (OSError, ValueError):
        return first_facts(assignment)


def _salvage_rings(assignment: Assignment) -> dict[str, Any]:
    """Write the rest of the rings into a log of its own; return what could not be kept."""
    try:
        log = LogWriter(assignment.run_path, time.time_ns())
    except OSError as error:
        return {"lost": 1, "trouble": error.strerror}
    journal = Journal(log, assignment.disk_bytes)
    collector = PhaseCollector(journal, Tree(journal, assignment.launcher, 0), assignment.rings_folder)
    if assignment.launcher_ring is not None:
        collector.add(RingReader(assignment.launcher_ring))
    now = time.monotonic_ns()
    journal.note("clock", at=now, offset=time.time_ns() - now, error=1000)
    journal.note("fault", source="agent", text="the agent ended before the command", at=now)
    collector.finish()
    journal.flush()
    log.close()
    losses = {"without_ring": collector.without_ring, "lost_in_rings": collector.lost}
    return {"lost": log.lost, "trouble": log.trouble, **losses}


def _how_it_ended(reaper: Reaper) -> str:
    status = reaper.agent_status
    if status is None:
        return "did not answer at the end"
    if os.WIFSIGNALED(status):
        return f"was killed by signal {os.WTERMSIG(status)}"
    return f"ended with code {os.waitstatus_to_exitcode(status)}"
