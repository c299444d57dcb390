"""How fast our engine runs tasks that do nothing: recorded, beside no engine at all, and beside others.

Each round measures every case, ours between two bare ones, so that a slow moment meets both; a share is that
of one round, and rounds are summed up by their median. Cases: ``fan-out`` (``true``, no files), ``outputs``
(one committed, checksummed file each, joined by a last task), ``chain`` (each takes the file of the one
before), ``functions``, ``disk`` (outputs, with all folders on a disk: told, not gated) and ``growth``.

The gated rate is that from when the first task was ready to the end of the last, as recorded. Beside it
stand the rate over the recorded makespan, which has reading and planning in it, and that of the whole
command, less what a run of one task takes.

    python benchmarks/engine.py [--tasks 10000] [--rounds 5] [--peers DIR] [--only CASES] [--json] [--small]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # by itself a script finds only what lies beside it

from benchmarks import engine_report as report  # noqa: E402
from benchmarks.engine_growth import grow  # noqa: E402
from benchmarks.engine_peers import Measured, Peer, Setting, missing, prepare, run_peer  # noqa: E402
from benchmarks.engine_runs import CommandError, Ran, run_ours  # noqa: E402
from benchmarks.ratios import AGAIN, BASE  # noqa: E402

OURS = report.OURS
MAKESPAN, WHOLE, FAN_OUT = (
    "over the recorded makespan",
    "whole command, less one of 1 task",
    "its fan-out alone",
)
SMALL = {"tasks": 300, "rounds": 1, "peer_tasks": 100, "snakemake_tasks": 20, "sizes": "100,300"}
LARGE = {
    "tasks": 10_000,
    "rounds": 5,
    "peer_tasks": 10_000,
    "snakemake_tasks": 1000,
    "sizes": "1000,10000,100000",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One comparison: our shape, what it stands against, who else runs, and the share that is promised."""

    words: str
    shape: str
    bare: Peer
    others: tuple[Peer, ...] = ()
    at_least: float = 0.0


def _apart(words: str, program: str, shape: str) -> Peer:
    return Peer(words, program, shape, apart=True)


SNAKEMAKE = "Snakemake, a file each"
# It follows a chain by recursion, and ends with a RecursionError beyond about 500.
LONGEST_CHAIN = 400
CASES = {
    "fan-out": Case(
        "fan-out and fan-in of `true` without files",
        "fan-out",
        Peer("bare posix_spawn of `true`", "bare", "fan-out"),
        (
            Peer("bare posix_spawn of `sh -c true`", "bare", "sh", every_round=True),
            _apart("Parsl HTEX, bash_app `true`", "parsl_htex", "fan-out"),
            _apart("Dask, posix_spawn of `true`", "dask_cluster", "fan-out"),
        ),
        at_least=0.7,
    ),
    "outputs": Case(
        "fan-out and fan-in of `cp`, one committed, checksummed output each",
        "outputs",
        Peer("bare posix_spawn of the same `cp`", "bare", "outputs"),
        (Peer(SNAKEMAKE, "snakemake_rules", "fan-out"),),
        at_least=0.6,
    ),
    "chain": Case(
        "chain of `cp`, each takes the file of the one before",
        "chain",
        Peer("bare posix_spawn of the same `cp`", "bare", "chain"),
        (
            _apart("Parsl HTEX, bash_app `true`", "parsl_htex", "chain"),
            _apart("Dask, posix_spawn of `true`", "dask_cluster", "chain"),
            Peer(SNAKEMAKE, "snakemake_rules", "chain"),
        ),
    ),
    "functions": Case(
        "functions that do nothing, joined by a last one",
        "functions",
        Peer("ProcessPoolExecutor", "pool", "functions"),
        (
            _apart("Parsl HTEX, python_app", "parsl_htex", "functions"),
            _apart("Dask", "dask_cluster", "functions"),
        ),
        at_least=0.8,
    ),
    "disk": Case(
        "outputs again, all folders on a disk",
        "outputs",
        Peer("bare posix_spawn of the same `cp`", "bare", "outputs"),
    ),
}
GROWTH = "growth"


class Bench:
    """Measures cases, round by round."""

    def __init__(self, options: argparse.Namespace, setting: Setting) -> None:
        """Take what is to be measured, and how."""
        self._options, self._setting = options, setting
        self.names = [name for name in CASES if name in options.only]
        self.rounds: dict[str, list[dict[str, Measured]]] = {name: [] for name in self.names}
        self.driver_mb: list[float] = []
        self._left_out: set[str] = set()

    def run(self) -> None:
        """Measure all rounds.

        Raises:
            CommandError: A run of ours, or a bare one, failed.
        """
        for number in range(self._options.rounds):
            for name in self.names:
                _say(f"round {number + 1}: {name}")
                place = Path(self._options.disk) if name == "disk" else self._setting.place
                found = self._measure(CASES[name], replace(self._setting, place=place))
                self.rounds[name].append(found | self._others(CASES[name], number))

    def _measure(self, case: Case, setting: Setting) -> dict[str, Measured]:
        """Measure ours between two bare ones."""
        tasks, shape = self._options.tasks, case.shape
        first = run_peer(case.bare, tasks, setting)
        started_s = run_ours(shape, 1, setting.cores, setting.place).spent.wall_s
        ours = run_ours(shape, tasks, setting.cores, setting.place)
        again = run_peer(case.bare, tasks, setting)
        self.driver_mb.append(ours.driver_mb)
        return {BASE: first, AGAIN: again, **_views(ours, started_s)}

    def _others(self, case: Case, number: int) -> dict[str, Measured]:
        found = {}
        for peer in case.others:
            tasks = self._tasks_of(peer)
            if tasks and (peer.every_round or number < self._options.peer_rounds):
                found |= self._other(peer, tasks)
        return found

    def _other(self, peer: Peer, tasks: int) -> dict[str, Measured]:
        """Measure a peer; one that is not there, or fails, is left out and said so, once."""
        reason = missing(peer, self._setting)
        if not reason:
            try:
                return {peer.words: run_peer(peer, tasks, self._setting)}
            except CommandError as error:
                reason = str(error)
        if peer.words not in self._left_out:
            self._left_out.add(peer.words)
            _say(f"left out: {peer.words}: {reason}")
        return {}

    def _tasks_of(self, peer: Peer) -> int:
        options = self._options
        if peer.every_round:
            return options.tasks
        if peer.program != "snakemake_rules":
            return options.peer_tasks
        return (
            min(options.snakemake_tasks, LONGEST_CHAIN) if peer.shape == "chain" else options.snakemake_tasks
        )


def _views(ours: Ran, started_s: float) -> dict[str, Measured]:
    """Return one run of ours by all of its times; CPU time and memory are told once, of the command."""
    nan = float("nan")
    return {
        OURS: Measured(ours.tasks, ours.span_s, ours.spent.cpu_s, ours.driver_mb),
        MAKESPAN: Measured(ours.tasks, ours.makespan_s, nan, nan),
        WHOLE: Measured(ours.tasks, ours.spent.wall_s - started_s, nan, nan),
        FAN_OUT: Measured(ours.fanned_out, ours.fan_out_s, nan, nan),
    }


def gates(bench: Bench, growth: dict[str, report.Rows]) -> list[report.Gate]:
    """Return all that is promised of what was measured."""
    found = []
    for name in bench.names:
        if CASES[name].at_least:
            text = f"{name}, share of {CASES[name].bare.words}"
            found.append(report.share_gate(text, bench.rounds[name], CASES[name].at_least))
    if "functions" in bench.names:
        found.append(report.rate_gate(bench.rounds["functions"]))
    if bench.driver_mb:
        found.append(report.memory_gate(bench.driver_mb))
    return [*found, *report.growth_gates(growth)]


def show(bench: Bench, growth: dict[str, report.Rows], kept: Sequence[report.Gate]) -> None:
    """Print tables and gates."""
    for name in bench.names:
        case = CASES[name]
        print(case.words)
        views = {
            OURS: "longpole run (gated; MB of the driver)",
            **{text: f"  {text}" for text in (MAKESPAN, WHOLE)},
        }
        views |= {FAN_OUT: f"  {FAN_OUT}"} if case.shape in ("outputs", "functions") else {}
        peers = {peer.words: peer.words for peer in case.others}
        words = {BASE: case.bare.words, AGAIN: "  again, over the first", **views, **peers}
        print("\n".join(report.case_table(words, bench.rounds[name])))
    if growth:
        print("\n".join(report.growth_table(growth)))
    print("\n".join(gate.line() for gate in kept))


def main() -> int:
    """Measure, print tables and gates, or all of it as JSON."""
    options = _arguments()
    try:
        bench, growth = _measured(options)
    except CommandError as error:
        _say(str(error))
        return 1
    kept = gates(bench, growth)
    if options.json:
        rounds = {name: [_plain(found) for found in rounds] for name, rounds in bench.rounds.items()}
        results = {"cases": rounds, "growth": growth, "gates": [asdict(gate) for gate in kept]}
        print(json.dumps({"schema_version": 1, "cores": options.cores, **results}, indent=1))
    else:
        show(bench, growth, kept)
    return 0


def _measured(options: argparse.Namespace) -> tuple[Bench, dict[str, report.Rows]]:
    setting = Setting(options.cores, Path(options.place), prepare(options.peers), options.limit)
    _say(f"{options.tasks:,} tasks, {setting.cores} at once, in {setting.place}; gates are meant for 10,000")
    bench = Bench(options, setting)
    bench.run()
    sizes = [int(text) for text in options.sizes.split(",")]
    return bench, grow(sizes, setting.cores, setting.place) if GROWTH in options.only else {}


def _plain(found: dict[str, Measured]) -> dict[str, dict[str, float]]:
    return {name: {**asdict(measured), "rate": measured.rate} for name, measured in found.items()}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    every = ",".join((*CASES, GROWTH))
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir()
    parser.add_argument("--only", default=every, help=f"which cases (default: {every})")
    parser.add_argument("--small", action="store_true", help="a quick try: too short to tell anything")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--tasks", type=int, help="tasks of ours and of bare ones")
    parser.add_argument("--rounds", type=int, help="how often all is measured")
    parser.add_argument("--sizes", help="growth: how many tasks")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="tasks at once")
    parser.add_argument("--place", default=memory, metavar="DIR", help="a folder in memory, for all folders")
    parser.add_argument("--disk", default="/var/tmp", metavar="DIR", help="disk: a folder on a disk")
    peers = parser.add_argument_group("peers")
    peers.add_argument(
        "--peers", default="", metavar="DIR", help="environment of Parsl and Dask; made if absent"
    )
    peers.add_argument("--peer-tasks", type=int, help="tasks of Parsl and Dask")
    peers.add_argument("--snakemake-tasks", type=int, help="tasks of Snakemake; 0 leaves it out")
    peers.add_argument("--peer-rounds", type=int, default=1, help="in how many rounds they run")
    peers.add_argument("--limit", type=float, default=600.0, help="seconds after which a peer is left out")
    options = parser.parse_args()
    for name, value in (SMALL if options.small else LARGE).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    options.only = options.only.split(",")
    if unknown := set(options.only) - {*CASES, GROWTH}:
        parser.error(f"There is no case '{min(unknown)}'; the cases are {every}.")
    return options


if __name__ == "__main__":
    sys.exit(main())
