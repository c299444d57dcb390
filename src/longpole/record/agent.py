"""The agent: one process per node and run that drains rings, samples, and writes the log.

It is apart from the launcher and from the command. If it is killed, the command does not notice; a source
of it that fails is stopped and named in the run, and the others go on.
"""

from __future__ import annotations

import gc
import os
import resource
import select
import time

from longpole.log.files import LogWriter
from longpole.record.assignment import ALL_WELL, decode_ending
from longpole.record.gpus import gpu_driver_present
from longpole.record.journal import Journal
from longpole.record.json_text import json_text
from longpole.record.losses import describe_losses
from longpole.record.manifest import first_facts, last_facts, save
from longpole.record.pace import Pace
from longpole.record.proc import lives
from longpole.record.rings import RingReader
from longpole.record.rundir import boot_id, remove_rings_folder
from longpole.record.samplers.cost import CostSampler
from longpole.record.samplers.host import HostSampler
from longpole.record.samplers.phases import PhaseCollector
from longpole.record.samplers.processes import ProcessSampler
from longpole.record.samplers.tree import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.model.ports import Source
    from longpole.record.assignment import Assignment, Ending

FLUSH_S = 1.0
_GATHER_S = 0.01
_MOST_EARLY_S = 0.05


class Agent:
    """Runs the sources of one assignment until it is told to end."""

    def __init__(self, assignment: Assignment) -> None:
        """Create the manifest and the log; this alone may raise ``OSError``."""
        self._assignment = assignment
        if assignment.attached:
            assignment.began_ns = time.monotonic_ns()  # what ran before us is counted from here on
        self._manifest = self._first_manifest()
        self._log = LogWriter(assignment.run_path, time.time_ns(), assignment.place)
        self._journal = Journal(self._log, assignment.disk_bytes)
        self._tree = Tree(self._journal, assignment.launcher, os.getpid(), assignment.starter)
        self._faults: list[str] = []
        self._sources: list[Source] = []
        self._exits: Any = None
        self._phases: PhaseCollector | None = None
        self._processes: ProcessSampler | None = None
        self._pace = Pace(1 / assignment.rate_hz, fixed=assignment.rate_fixed)
        self._cpu_ns = time.thread_time_ns()

    def _first_manifest(self) -> dict[str, Any]:
        manifest = first_facts(self._assignment)
        save(self._assignment.run_path, manifest)
        return manifest

    def run(self, control: int) -> dict[str, Any]:
        """Sample until the launcher speaks or dies; return what could not be kept."""
        self._note_host()
        self._start_sources()
        self._loop(control)
        ending = decode_ending(os.read(control, 65536))
        for source in list(self._sources):
            self._try(source, source.finish)
        if ending is not None and self._assignment.attached:
            ending.left = self._still_there()
        report = self._close()
        report["unsaved"] = self._save(ending, describe_losses(report, self._assignment.run_path))
        if ending is None:
            remove_rings_folder(self._assignment.rings_folder)
        return report

    def _start_sources(self) -> None:
        assignment = self._assignment
        if assignment.exit_records is not None:
            self._start("exit records", self._exit_records)
        if assignment.root:
            self._tree.admit(assignment.root)
            self._journal.note("reached", at=time.monotonic_ns(), pids=[assignment.root])
        for target in assignment.attached:
            if lives(target.pid, target.start_ticks):
                self._tree.admit(target.pid)
        self._start("processes", self._process_sampler)
        if assignment.attached:
            self._start("tree", self._tree_totals)
        self._start("phases", self._phase_collector)
        if assignment.opens >= 0:
            self._start("opened files", self._opened_files)
        self._start("host", lambda: HostSampler(self._journal, assignment.forks_before))
        self._start("gpu", self._gpus)
        self._start("cost", self._cost)

    def _cost(self) -> Source:
        given = self._assignment
        return CostSampler(self._journal, given.launcher, given.began_ns, given.told_us)

    def _start(self, name: str, make: Any) -> None:
        try:
            source = make()
            if source is not None:
                self._sources.append(source)
        except Exception as error:  # noqa: BLE001  a source that cannot start must not stop the others
            self._fault(name, error)

    def _exit_records(self) -> Source:
        from longpole.record.samplers.exits import ExitRecords

        assert self._assignment.exit_records is not None
        self._exits = ExitRecords(self._journal, self._tree, self._assignment.exit_records)
        exits: Source = self._exits
        return exits

    def _process_sampler(self) -> Source:
        assignment = self._assignment
        sampler = self._processes = ProcessSampler(
            self._journal, self._tree, assignment.rate_hz, assignment.counts_from_ns
        )
        return sampler

    def _tree_totals(self) -> Source:
        from longpole.record.samplers.totals import TreeTotals

        return TreeTotals(self._journal, self._tree, self._assignment.counts_from_ns)

    def _still_there(self) -> int:
        """Part with those that have ended, reaped or not; return how many processes outlive the recording."""
        for member in list(self._tree.members.values()):
            if not lives(member.pid, member.start_ticks):
                self._tree.drop(member.pid, time.monotonic_ns())
        return len(self._tree.members)

    def _keep_pace(self, passed_ns: int) -> None:
        """Sample the processes less often if the agent has used more than its share of a core."""
        before, self._cpu_ns = self._cpu_ns, time.thread_time_ns()
        if self._processes is not None:
            self._processes.period_s = self._pace.adjust((self._cpu_ns - before) / passed_ns)

    def _flush(self) -> None:
        self._journal.flush()
        if self._phases is not None:
            self._phases.commit()

    def _phase_collector(self) -> Source:
        collector = self._phases = PhaseCollector(self._journal, self._tree, self._assignment.rings_folder)
        if self._assignment.launcher_ring is not None:
            collector.add(RingReader(self._assignment.launcher_ring))
        return collector

    def _opened_files(self) -> Source:
        from longpole.record.samplers.files import OpenedFiles

        return OpenedFiles(self._journal, self._tree, self._assignment.opens)

    def _gpus(self) -> Source | None:
        if not gpu_driver_present():
            return None
        from longpole.record.samplers.gpu import GpuSampler

        return GpuSampler(self._journal, self._tree)

    def _loop(self, control: int) -> None:
        now = time.monotonic_ns()
        due: dict[int, int] = {}
        flush_at = now + int(FLUSH_S * 1e9)
        while True:
            now = time.monotonic_ns()
            for source in list(self._sources):
                if now >= due.setdefault(id(source), now) - _early_ns(source.period_s):
                    self._try(source, source.sample, time.monotonic_ns())
                    due[id(source)] = max(due[id(source)] + int(source.period_s * 1e9), now)
            if now >= flush_at - _early_ns(FLUSH_S):
                self._flush()
                self._keep_pace(now - flush_at + int(FLUSH_S * 1e9))
                flush_at = now + int(FLUSH_S * 1e9)
            next_at = min([flush_at, *(due.get(id(source), now) for source in self._sources)])
            if self._ended(control, max(0.0, (next_at - time.monotonic_ns()) / 1e9)):
                return

    def _ended(self, control: int, wait_s: float) -> bool:
        """Wait for the next turn; return whether the launcher has closed its end."""
        waiting = select.poll()
        for descriptor in self._watched(control):
            waiting.register(descriptor, select.POLLIN)
        ready = [descriptor for descriptor, _ in waiting.poll(wait_s * 1000)]
        if control in ready:
            return True
        if ready:  # a process has ended: take its record soon, together with those that follow at once
            time.sleep(min(_GATHER_S, wait_s))
            self._try(self._exits, self._exits.sample, time.monotonic_ns())
        return False

    def _watched(self, control: int) -> list[int]:
        """Return what may end the waiting early: the launcher, and where it is their turn, exit records."""
        if self._exits in self._sources and time.monotonic_ns() >= self._exits.wake_after_ns:
            return [control, self._exits.fileno()]
        return [control]

    def _try(self, source: Source, work: Any, *arguments: int) -> None:
        try:
            work(*arguments)
        except Exception as error:  # noqa: BLE001  the worker loop: one source that fails is stopped, the rest go on
            if source in self._sources:
                self._sources.remove(source)
            self._fault(source.name, error)

    def _fault(self, name: str, error: Exception) -> None:
        text = f"{name}: {type(error).__name__}: {error}"
        self._faults.append(text)
        self._journal.note("fault", source=name, text=text, at=time.monotonic_ns())

    def _note_host(self) -> None:
        uname = os.uname()
        before = time.monotonic_ns()
        utc_ns = time.time_ns()
        after = time.monotonic_ns()
        self._journal.note(
            "host",
            name=uname.nodename,
            kernel=uname.release,
            machine=uname.machine,
            boot=boot_id(),
            cores=len(os.sched_getaffinity(0)),
            memory_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        )
        self._journal.note(
            "clock", at=before, offset=utc_ns - (before + after) // 2, error=(after - before + 1) // 2
        )
        seen = {
            "exit_records": self._assignment.exit_records is not None,
            "opens": self._assignment.opens >= 0,
            "hooks": bool(self._assignment.rings_folder),
            "attached": [target.pid for target in self._assignment.attached],
        }
        who = {"launcher": self._assignment.launcher, "agent": os.getpid()}
        self._journal.note("began", at=self._assignment.began_ns, **who, **seen)

    def _save(self, ending: Ending | None, losses: list[str]) -> str:
        """Put the manifest away; return why that could not be, or nothing."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        facts = last_facts(ending, usage.ru_utime + usage.ru_stime)
        facts["troubles"] = [*facts["troubles"], *losses]
        try:
            save(self._assignment.run_path, {**self._manifest, **facts})
        except OSError as error:
            if not os.path.isdir(self._assignment.run_path):
                return "was removed while recording"
            return f"is incomplete ({error.strerror})"
        return ""

    def _close(self) -> dict[str, Any]:
        self._journal.flush()  # first, so that the last word is the last thing in the log
        self._journal.note("ended", at=time.monotonic_ns(), **self._losses())
        self._journal.flush()
        self._log.close()
        return {
            "faults": self._faults,
            "lost": self._log.lost,
            "trouble": self._log.trouble,
            **self._losses(),
        }

    def _losses(self) -> dict[str, Any]:
        named = {source.name: source for source in self._sources}
        phases = self._phases
        return {
            "lost_in_rings": phases.lost if phases else 0,
            "without_ring": phases.without_ring if phases else 0,
            "exits_overrun": bool(self._exits and self._exits.overrun),
            "opens_overrun": bool(getattr(named.get("opened files"), "overflowed", False)),
            "other_users": len(self._tree.other_users),
            "unreadable": len(self._processes.unreadable) if self._processes else 0,
            "interval_s": round(self._pace.interval_s, 3),
            "notes_left_out": self._journal.notes_left_out,
        }


def _early_ns(period_s: float) -> int:
    """Return how early a source may have its turn, so that several have it together: waking is dear."""
    return int(min(period_s / 4, _MOST_EARLY_S) * 1e9)


def serve(assignment: Assignment, control: int) -> bytes:
    """Be the agent to the end; return its last word: all well, or what was lost."""
    gc.enable()
    gc.freeze()
    report = Agent(assignment).run(control)
    return json_text(report).encode() if describe_losses(report, "") else ALL_WELL
