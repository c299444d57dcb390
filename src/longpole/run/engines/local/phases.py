"""Phases of a job that a worker did as a whole, put together from what it told."""

from __future__ import annotations

from longpole.run.engines.local.short_jobs import Answer
from longpole.run.engines.opened import OpenJob
from longpole.store.derive.workflow_notes import Part


def note_short(job: OpenJob, answer: Answer) -> None:
    """Add the phases of a job that a worker has done as a whole."""
    began, start, ended, over = answer.times
    parts = job.parts
    job.began_ns = began
    job.ended_ns = over if answer.made is not None else 0
    if job.own_folder:
        count = len(next(iter(job.orders.values())).inputs)
        parts.append(Part("stage_in", began, start, 0, 0, 0, count, name="link"))
    if answer.pid:
        failed = int(answer.status != 0)
        parts.append(Part("exec", start, ended, failed, 0, -1, 0, answer.pid, 1, answer.used))
    if answer.made:
        parts.append(Part("stage_out", ended, over, 0, 0, 0, len(answer.made), name="link"))
