"""What a recording could not see, and what its numbers do not say: sentences for a person to judge by.

Particular things come first, standing ones last. How many processes were missed is an estimate: the kernel's
count of what was started meanwhile, less those seen. It counts threads and what others started, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from longpole.analyse.attached import attached_totals, before_attaching
from longpole.analyse.hooks import detail_limits, hooks_missing
from longpole.analyse.memory import MemoryPeak
from longpole.analyse.sentences import count_of, sentence
from longpole.analyse.steps import Counting
from longpole.model.manifest import Manifest, State
from longpole.model.recording import Reading, RecordingNotes
from longpole.units import show_bytes, show_seconds


@dataclass(frozen=True, slots=True)
class Witness:
    """What is known about the recording of a run, and what its tables leave open.

    Attributes:
        processes: How many processes were seen; of attached ones, only those that started since.
        missing_cpu_s: CPU time of the run that no process in the list shows.
        missing_read_bytes: Bytes read by the run that no process in the list shows.
        cut_phases: Phases that had not ended when their process did, or when recording ended.
        nested_phases: Whether there are phases at all, which may nest.
        stolen_percent: CPU time of the hosts that went to other guests of the same machine.
        steps: How far steps of training and inference are known one by one.
    """

    manifest: Manifest
    state: State
    notes: RecordingNotes
    reading: Reading
    memory: MemoryPeak
    processes: int = 0
    missing_cpu_s: float = 0.0
    missing_read_bytes: float = 0.0
    phases: int = 0
    cut_phases: int = 0
    stolen_percent: float = 0.0
    steps: Counting = field(default_factory=Counting)


def unseen(witness: Witness) -> tuple[str, ...]:
    """Return what happened and is not in the run."""
    if _only_told(witness):
        return witness.notes.gaps
    return (
        *witness.notes.gaps,
        *before_attaching(witness.notes.attached),
        *_lost(witness),
        *hooks_missing(witness.notes),
        *_missed_processes(witness),
        *_left_behind(witness),
        _MAPPED,
    )


def limits(witness: Witness) -> tuple[str, ...]:
    """Return what the numbers of a run do not say."""
    if _only_told(witness):
        return (
            f"All of this is as told by {' and '.join(witness.notes.told_by)}.",
            *_damage(witness.reading),
        )
    return (*_particular_limits(witness), *_standing_limits(witness))


def _only_told(witness: Witness) -> bool:
    """Return whether another system told all there is: nothing of it was seen by us."""
    return bool(witness.notes.told_by) and not witness.notes.logs


_MAPPED = "Bytes that move through memory maps (mmap) are not counted."


def _lost(witness: Witness) -> Iterator[str]:
    notes = witness.notes
    if witness.manifest.troubles:
        yield from (sentence(trouble) for trouble in witness.manifest.troubles)
    else:
        yield from (f"A part of the recorder stopped: {sentence(fault)}" for fault in notes.faults)
        if notes.without_ring:
            yield f"Phases of {count_of(notes.without_ring, 'process')} are missing: no room in /dev/shm."
        if notes.lost_in_rings:
            yield f"{count_of(notes.lost_in_rings, 'phase')} came faster than they could be kept."
    if notes.notes_left_out:
        yield f"{count_of(notes.notes_left_out, 'note')} on processes or files did not fit into --disk."
    if notes.opens_overrun:
        yield "Files were opened faster than that could be read: some are missing."
    if notes.other_users and not notes.attached:
        who = count_of(notes.other_users, "process")
        yield f"Phases of {who} that ran as another user could not be recorded."
    if notes.unreadable:
        yield f"Bytes of {count_of(notes.unreadable, 'process')} of another user could not be read."


def _missed_processes(witness: Witness) -> Iterator[str]:
    notes = witness.notes
    if notes.exit_records and notes.exits_overrun:
        yield f"Processes ended faster than could be read: some are only in the totals{_missing(witness)}."
    if notes.exit_records or not notes.logs:
        return
    missed = None if notes.forks is None else max(0, notes.forks - witness.processes)
    if missed == 0:
        return
    many = "an unknown number" if missed is None else f"at most {count_of(missed, 'process')}"
    advice = "" if notes.attached else " 'longpole doctor' tells how to see them."
    orphans = ", or had ended before they were found," if notes.attached else ""
    yield (
        f"Processes that ended between two samples are not in the list: {many}, those that others started "
        f"included. The totals have ours{_missing(witness)}.{advice}"
    )
    yield f"Processes whose parent ignores their end (SIGCHLD){orphans} are not in the totals either."


def _missing(witness: Witness) -> str:
    if witness.missing_cpu_s < 0.01 and witness.missing_read_bytes < 1:
        return ""
    cpu, read = show_seconds(witness.missing_cpu_s), show_bytes(witness.missing_read_bytes)
    return f": {cpu} of CPU and {read} read are of no process listed"


def _left_behind(witness: Witness) -> Iterator[str]:
    left = witness.manifest.left_behind + witness.notes.left_behind
    if witness.notes.commands_cut and witness.state != State.RUNNING:
        cut = count_of(witness.notes.commands_cut, "command")
        yield f"The end of {cut} is not here: killed together with what recorded it."
    if left:
        yield f"{count_of(left, 'process')} still ran when recording ended: what came later is not here."
    if witness.state == State.BROKEN and witness.notes.workflow:
        yield "The driver of the workflow was killed: what it had begun is unfinished."
    elif witness.state == State.BROKEN:
        yield "The recording was broken off: what came after its last record is not here."
    elif witness.notes.commands:
        return
    elif witness.state == State.FINISHED and not witness.notes.ended and not witness.manifest.troubles:
        yield "The agent gave no last word: the end of the samples may be missing."


def _particular_limits(witness: Witness) -> Iterator[str]:
    if witness.state == State.RUNNING:
        yield "The run is still going: every number is so far."
    yield from _damage(witness.reading)
    yield from attached_totals(witness.notes.attached)
    if witness.cut_phases:
        phases = count_of(witness.cut_phases, "phase")
        yield f"{phases} had not ended: each counts up to when it was last seen."
    if witness.notes.summed_up:
        phases = count_of(witness.notes.summed_up, "phase")
        yield f"{phases} are kept as histograms, to stay within --disk; their number and time are exact."
    yield from detail_limits(witness.notes.details, witness.steps)
    if witness.stolen_percent >= 1:
        yield f"Other guests of the machine took {witness.stolen_percent:.0f} % of its CPU (steal)."
    yield from _clock_limits(witness.notes)
    yield from _memory_limits(witness.memory)


def _clock_limits(notes: RecordingNotes) -> Iterator[str]:
    """Tell how far times of several hosts can be compared."""
    if notes.hosts < 2:
        return
    apart = notes.hosts - notes.hosts_compared
    if notes.clock_error_ns is not None:
        within = show_seconds(notes.clock_error_ns / 1e9)
        many = f"{notes.hosts_compared:,} hosts"
        yield f"The clocks of {many} were compared: their times agree within {within}."
    if apart:
        yield (
            f"The clocks of {apart:,} of {notes.hosts:,} hosts could not be compared: their times follow "
            "their own clocks, and may be off against the others'."
        )


def _damage(reading: Reading) -> Iterator[str]:
    """Tell how much is readable, and then each problem that tells more than that."""
    if reading.readable < reading.expected:
        yield f"The log is damaged: {reading.sentence()}."
    yield from (sentence(problem) for problem in reading.problems)


def _memory_limits(memory: MemoryPeak) -> Iterator[str]:
    if memory.proportional and memory.proportional < memory.processes:
        yield (
            f"Memory is PSS for {memory.proportional:,} of {memory.processes:,} processes, "
            "and RSS, shared pages counted in each, for the rest."
        )
    elif memory.proportional:
        yield "Memory is PSS: a page shared by n processes counts 1/n in each."
    elif memory.processes:
        yield "Memory is RSS: pages that processes share count in each of them."
    elif memory.bytes is not None:
        yield "Memory is that of the largest process alone: none lived long enough to be sampled."


def _standing_limits(witness: Witness) -> Iterator[str]:
    if witness.phases:
        yield "Phases are summed over processes and threads; one inside another counts in both."
    yield "Bytes of system calls include page cache, pipes and sockets."
    if witness.manifest.rate_hz:
        rate = f"{witness.manifest.rate_hz:g} times a second"
        yield f"Processes were sampled up to {rate}, the host once: shorter peaks may be missing."
    if witness.notes.exit_records:
        yield "Bytes of single processes are rounded down to 1 KiB a thread; the run's totals are exact."
    yield "The host's figures are everybody's; others' CPU is what the run and its recorder leave of it."
    yield "Recording is the CPU time of launcher and agent, start-up included, over the makespan."
