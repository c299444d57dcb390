"""What is known about a recording itself: how much of its log can be read, and what the recorder said."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """How much of a run's log could be read.

    Attributes:
        readable: Records that are intact.
        expected: Records that were written, as far as the intact ones tell.
        problems: One sentence for each thing that is damaged; empty for a sound run.
    """

    readable: int = 0
    expected: int = 0
    problems: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Return the count as people read it.

        Examples:
            >>> Reading(1204, 1210).sentence()
            '1,204 of 1,210 records readable'
        """
        return f"{self.readable:,} of {self.expected:,} records readable"


@dataclass(frozen=True, slots=True)
class HookFailure:
    """A hook that gave up: what it would have shown is missing from there on.

    Attributes:
        hook: Which one.
        why: The error it met.
        processes: How many processes said so.
    """

    hook: str
    why: str
    processes: int = 1


@dataclass(frozen=True, slots=True)
class DetailChoice:
    """How much of its steps a process last chose to note, so that noting stays within its budget.

    Attributes:
        process: Its id in the table of processes; None where the process is not known.
        kind: Which kind of step: step, inference or batch.
        detail: What was asked for: low, auto or high.
        every: One step of so many is noted in full, the others are counted, or noted with fewer parts; 1
            where all are in full.
        step_ns: How long steps took when this was chosen, on average.
        cost_ns: What noting takes of each.
        choices: How often the process has chosen anew.
        light: Whether the others are noted, each with its wait for data, and not only counted.
    """

    process: int | None
    kind: str
    detail: str
    every: int
    step_ns: int
    cost_ns: int
    choices: int = 1
    light: bool = False


@dataclass(frozen=True, slots=True)
class UnreachedPython:
    """Pythons of one command line that no hook could be loaded into.

    Attributes:
        command: The command line, or the program's name where that is all that is known.
        count: How many processes.
    """

    command: str
    count: int


@dataclass(frozen=True, slots=True)
class RecordingNotes:
    """What the recorder said about its own work; the counts are summed over all nodes.

    Attributes:
        logs: Log files of the run, one for each node and agent.
        ended: Whether every agent came to an orderly end.
        exit_records: Whether the kernel reported the end of every process (taskstats), on every node.
        opens: Whether opened files were watched (fanotify), on every node.
        exits_overrun: Whether exit records came faster than they could be read: some processes are missing.
        opens_overrun: Whether opens came faster than they could be read: some files are missing.
        lost_in_rings: Records of processes that found no room in their ring.
        without_ring: Processes whose phases had nowhere to go.
        other_users: Processes that ran as somebody else, who may not write into our rings.
        unreadable: Processes whose bytes the recorder was not permitted to read.
        notes_left_out: Notes that were left out to stay below the bound on disk use.
        summed_up: Phases kept as sums for the same reason; their counts are exact.
        counted: Phases that processes only counted themselves, so that noting them costs little.
        faults: Parts of the recorder that failed, as sentences.
        forks: Processes the hosts started meanwhile, whoever's they were; None where not noted.
        reaped: Processes whose end the launcher itself saw.
        joined: Nested ``record`` commands that joined this run.
        recorder_cpu_s: CPU time of agents and launchers, nested ones too, when it was last noted.
        hooks_given_up: Hooks that gave up, and why.
        details: How much of their steps processes chose to note: the last choice for each kind of step.
        unreached: Pythons that hooks could not be loaded into, the most frequent commands first.
        unreached_total: How many there were, those of commands that are not listed included.
        told_by: Other systems that told of this run.
        gaps: What these could not tell, as sentences.
        hosts: Hosts that wrote into the run.
        hosts_compared: Those among them whose clocks were compared with another's.
        clock_error_ns: How much these may be off against each other.
        commands: Commands that made the run together, each by ``record --into``.
        commands_failed: Those among them that failed.
        commands_cut: Those whose end nobody saw: they still run, or were killed with their launcher.
        left_behind: Processes of these that still ran when their recording ended.
        attached: Processes that already ran when they began to be recorded; 0 if a command was.
        workflow: The workflow of ours that the run executed; empty if it is none.
        placement: The placement it was last executed under.
        jobs_failed: Jobs of it that failed in their last attempt.
        jobs_cut: Jobs of it that were broken off in their last attempt, or still run.
        auxiliary: Types of what its runner itself did: create_dir, stage_out and the like.
    """

    logs: int = 0
    ended: bool = False
    exit_records: bool = False
    opens: bool = False
    exits_overrun: bool = False
    opens_overrun: bool = False
    lost_in_rings: int = 0
    without_ring: int = 0
    other_users: int = 0
    unreadable: int = 0
    notes_left_out: int = 0
    summed_up: int = 0
    counted: int = 0
    faults: tuple[str, ...] = ()
    forks: int | None = None
    reaped: int = 0
    joined: int = 0
    recorder_cpu_s: float | None = None
    hooks_given_up: tuple[HookFailure, ...] = ()
    details: tuple[DetailChoice, ...] = ()
    unreached: tuple[UnreachedPython, ...] = ()
    unreached_total: int = 0
    told_by: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    hosts: int = 0
    hosts_compared: int = 0
    clock_error_ns: int | None = None
    commands: int = 0
    commands_failed: int = 0
    commands_cut: int = 0
    left_behind: int = 0
    attached: int = 0
    workflow: str = ""
    placement: str = ""
    jobs_failed: int = 0
    jobs_cut: int = 0
    auxiliary: tuple[str, ...] = ()
