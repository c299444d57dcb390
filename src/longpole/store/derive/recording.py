"""What the recorder said about its own work, in one place."""

from __future__ import annotations

from dataclasses import replace

from longpole.model.execution import Status
from longpole.model.recording import RecordingNotes
from longpole.store.derive.attached import attached_to
from longpole.store.derive.content import LogContent
from longpole.store.derive.exits import STILL_LIVING, Exits
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.members import Members
from longpole.store.derive.notes import Began, Ended, Fault, Forks, Lost
from longpole.store.derive.processes import Processes
from longpole.store.derive.pythons import Unreached
from longpole.store.derive.remarks import Remarks
from longpole.store.derive.rings import Rings
from longpole.store.derive.sums import TALLY, Sums
from longpole.store.derive.told import ToldRows
from longpole.store.derive.workflow import Workflow


def recording_notes(logs: list[LogContent], exits: Exits, sums: Sums) -> RecordingNotes:
    """Return the notes of all agents, summed."""
    logs = [log for log in logs if not log.of_driver]
    began = [note for log in logs for note in log.notes.of(Began)]
    ended = [note for log in logs for note in log.notes.of(Ended)]
    faults = [note.text for log in logs for note in log.notes.of(Fault) if note.text]
    return RecordingNotes(
        logs=len(logs),
        ended=bool(began) and len(ended) >= len(began),
        exit_records=bool(began) and all(note.exit_records for note in began),
        opens=bool(began) and all(note.opens for note in began),
        exits_overrun=any(note.exits_overrun for note in ended),
        opens_overrun=any(note.opens_overrun for note in ended),
        lost_in_rings=sum(note.records for log in logs for note in log.notes.of(Lost)),
        without_ring=sum(note.without_ring for note in ended),
        other_users=sum(note.other_users for note in ended),
        unreadable=sum(note.unreadable for note in ended),
        notes_left_out=sum(note.notes_left_out for note in ended),
        summed_up=sums.count(origin=""),
        counted=sums.count(origin=TALLY),
        faults=tuple(dict.fromkeys(faults)),
        forks=_forks(logs),
        reaped=sum(end.status != STILL_LIVING for end in exits.ends),
        joined=exits.joined,
        recorder_cpu_s=_cpu_s(exits),
        attached=attached_to(logs),
    )


def with_remarks(
    notes: RecordingNotes, remarks: Remarks, rings: Rings, processes: Processes
) -> RecordingNotes:
    """Return the notes with what the processes themselves said; these have their ids."""
    known = [processes.of(ring.log, ring.number) for ring in rings.all]
    owners = [one.id if one is not None and one.id else None for one in known]
    return replace(notes, hooks_given_up=remarks.failures(owners), details=remarks.choices(owners))


def with_unreached(notes: RecordingNotes, found: Unreached) -> RecordingNotes:
    """Return the notes with the Pythons that no hook could be loaded into."""
    return replace(notes, unreached=found.commands, unreached_total=found.total)


def with_told(notes: RecordingNotes, told: ToldRows) -> RecordingNotes:
    """Return the notes with who else told of the run, and what they could not tell."""
    return replace(notes, told_by=told.sources, gaps=(*notes.gaps, *told.gaps))


def with_members(notes: RecordingNotes, members: Members) -> RecordingNotes:
    """Return the notes with the commands that made the run together; of others, who told them tells."""
    statuses = [member.status for member in members.own]
    return replace(
        notes,
        commands=len(statuses),
        commands_failed=statuses.count(Status.FAILED),
        commands_cut=statuses.count(Status.UNFINISHED),
        left_behind=sum(member.finish.left for member in members.all if member.finish),
        gaps=(*notes.gaps, *(_unanswered(job, why) for job, why in members.unanswered)),
    )


def with_workflow(notes: RecordingNotes, workflow: Workflow) -> RecordingNotes:
    """Return the notes with the workflow of ours that the run executed, if it did."""
    said = workflow.drivers.said
    return replace(
        notes,
        workflow=said.workflow or "?" if said is not None else "?" if workflow else "",
        placement=said.placement if said is not None else "",
        jobs_failed=workflow.failed,
        jobs_cut=workflow.cut,
        auxiliary=workflow.auxiliary,
    )


def with_clocks(notes: RecordingNotes, hosts: Hosts) -> RecordingNotes:
    """Return the notes with how well the clocks of the hosts agree."""
    errors = [error for error in hosts.alignment.errors.values() if error is not None]
    return replace(
        notes, hosts=len(hosts), hosts_compared=len(errors), clock_error_ns=max(errors, default=None)
    )


def _unanswered(job: str, why: str) -> str:
    return (
        f"How long job {job} waited is not known: {why}. 'longpole import --slurm {job}' asks the accounting."
    )


def _forks(logs: list[LogContent]) -> int | None:
    noted = [note.count for log in logs for note in log.notes.of(Forks)]
    return sum(noted) if noted else None


def _cpu_s(exits: Exits) -> float | None:
    if exits.recorder_us is None:
        return None
    return (exits.recorder_us + float(exits.joined_used[:2].sum())) / 1e6
