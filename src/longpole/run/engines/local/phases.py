"""Phases that are put together from what was told: of movements of files, and of a job that a worker did."""

from __future__ import annotations

from longpole.model.staging import Moved
from longpole.run.engines.local.short_jobs import Answer
from longpole.run.engines.opened import OpenJob
from longpole.store.derive.workflow_notes import Part

# Ways that move nothing: their single files are not worth a phase each.
_STANDING = ("link", "hardlink")


def note_moved(parts: list[Part], part: Part, moved: Moved) -> None:
    """Add a phase of moving files, and each movement within it."""
    total = sum(each.moved_bytes for each in moved.transfers)
    files = sum(each.files for each in moved.transfers)
    at = len(parts)
    parts.append(Part(part.kind, part.start, part.end, bytes=total, count=files, name=part.name))
    if part.name in _STANDING:
        return
    for each in moved.transfers:
        times, amount = (each.start_ns, each.end_ns), each.moved_bytes
        parts.append(Part("transfer", *times, bytes=amount, count=each.files, name=each.what, within=at))


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
