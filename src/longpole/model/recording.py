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
        faults: Parts of the recorder that failed, as sentences.
        forks: Processes the hosts started meanwhile, whoever's they were; None where not noted.
        reaped: Processes whose end the launcher itself saw.
        joined: Nested ``record`` commands that joined this run.
        recorder_cpu_s: CPU time of agents and launchers, nested ones too, when it was last noted.
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
    faults: tuple[str, ...] = ()
    forks: int | None = None
    reaped: int = 0
    joined: int = 0
    recorder_cpu_s: float | None = None
