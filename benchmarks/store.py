"""How long a log takes to become tables, and a run to be shown, at three sizes; is it linear?

Each size has as many phases as rows of samples. Every step is a fresh process: ``python -c pass`` as the
unit, log to tables, the first ``longpole show`` (which builds the tables), and the second (which reads them).
Prints seconds, peak memory, and the ratio of each size to the one before: 10 is linear.

    python benchmarks/store.py [--sizes 10000,100000,1000000] [--json] [--slots]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from longpole.log import slots
from longpole.log.files import LogWriter
from longpole.store.derive import records

RANKS = 8
STEP_NS = 6_000_000
BEGAN_NS = 1_000_000_000_000
OFFSET_NS = 1_790_000_000_000_000_000
NAMES = ("step", "data", "forward", "backward", "optimizer")
BLOCK = 32768


def main() -> int:
    """Measure every size and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes", default="10000,100000,1000000", help="how many phases, and rows of samples"
    )
    parser.add_argument(
        "--slots", action="store_true", help="as many sample slots as phases: about four rows each"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    results = []
    for size in (int(text) for text in options.sizes.split(",")):
        folder = Path(tempfile.mkdtemp(prefix="longpole-bench-"))
        try:
            results.append(measure(folder, size, rows_per_slot=1 if options.slots else 4))
        finally:
            shutil.rmtree(folder)
    if options.json:
        print(json.dumps({"schema_version": 1, "results": results}, indent=1))
    else:
        show(results)
    return 0


def measure(folder: Path, size: int, rows_per_slot: int) -> dict[str, float]:
    """Make one run and time each step on it."""
    path = make_run(folder, size, size // rows_per_slot)
    build = f"from longpole.store.run import open_run; open_run({str(path)!r}).reading"
    shown = ["-m", "longpole", "show", str(path)]
    result = {"phases": size, "log_bytes": sum(file.stat().st_size for file in (path / "log").iterdir())}
    steps = {"unit": ["-c", "pass"], "build": ["-c", build], "first_show": shown, "second_show": shown}
    for step, arguments in steps.items():
        if step == "first_show":
            shutil.rmtree(path / "tables")
        # What changes nothing is timed several times, and the best counts: the machine has other users.
        results = [run(arguments) for _ in range(3 if step in ("unit", "second_show") else 1)]
        result[f"{step}_s"], result[f"{step}_mb"] = min(results)
    result["tables_bytes"] = sum(file.stat().st_size for file in (path / "tables").iterdir())
    return result


class Spent(NamedTuple):
    """What a process took: seconds, seconds of CPU time, and peak memory in MB."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def run(arguments: list[str]) -> tuple[float, float]:
    """Run Python; return seconds and peak memory in MB."""
    took = spent(arguments)
    return took.wall_s, took.peak_mb


def spent(arguments: list[str]) -> Spent:
    """Run Python; return what that took."""
    began = time.monotonic()
    null = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    # Our modules are to be compiled once, as they are where Longpole is installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    pid = os.posix_spawn(sys.executable, [sys.executable, *arguments], environment, file_actions=null)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{arguments} ended with {os.waitstatus_to_exitcode(status)}")
    cpu_s = usage.ru_utime + usage.ru_stime
    return Spent(round(time.monotonic() - began, 3), round(cpu_s, 3), round(usage.ru_maxrss / 1000, 1))


def make_run(folder: Path, phases: int, samples: int) -> Path:
    """Write a run of eight ranks that took training steps of five phases each."""
    path = folder / "20260924T000000Z-bench-0badcafe"
    (path / "log").mkdir(parents=True)
    log = LogWriter(str(path), OFFSET_NS)
    end = BEGAN_NS + (phases // RANKS // len(NAMES) + 2) * STEP_NS
    log.notes([json.dumps(note).encode() for note in begin_notes()])
    for rank in range(RANKS):
        write(log, rank + 2, texts(rank))
    for first in range(0, phases // RANKS, BLOCK):
        for rank in range(RANKS):
            write(log, rank + 2, phase_slots(first, min(BLOCK, phases // RANKS - first)))
    for first in range(0, samples, BLOCK):
        count = min(BLOCK, samples - first)
        write(
            log,
            0,
            sample_slots(first, count, samples, end) if first // BLOCK % 8 else gauge_slots(count, end),
        )
    write(log, 1, end_slots(end))
    log.notes([json.dumps(note).encode() for note in end_notes(end)])
    log.close()
    (path / "run.json").write_text(json.dumps(manifest((end - BEGAN_NS) / 1e9)))
    return path


def write(log: LogWriter, source: int, data: bytes) -> None:
    log.slots(source, data)
    log.flush()


def begin_notes() -> list[dict[str, object]]:
    host = {
        "name": "node",
        "kernel": "6",
        "machine": "x86_64",
        "boot": "b",
        "cores": 64,
        "memory_bytes": 1 << 38,
    }
    fields = [["user", "cores"], ["system", "cores"], ["waiting for I/O", "cores"], ["stolen", "cores"]]
    ranks = range(1, RANKS + 1)
    return [
        {"about": "host", **host},
        {"about": "clock", "at": BEGAN_NS, "offset": OFFSET_NS, "error": 100},
        {"about": "began", "at": BEGAN_NS, "exit_records": True, "opens": False},
        {
            "about": "resource",
            "number": 1,
            "kind": "cpu",
            "name": "all cores",
            "fields": fields,
            "capacity": 64.0,
        },
        {"about": "ring", "source": 1, "number": 0, "tag": "ff", "parent_tag": "0", "parent_phase": 0},
        *(
            {"about": "process", "number": rank, "pid": 100 + rank, "start": BEGAN_NS, "comm": "python"}
            for rank in ranks
        ),
        *({"about": "ring", "source": rank + 1, "number": rank, "tag": f"{rank:x}"} for rank in ranks),
    ]


def end_notes(end: int) -> list[dict[str, object]]:
    used = [6_000_000, 1_000_000, 1 << 30, 1 << 20, 0, 0]
    facts = {
        "pid": 0,
        "parent": 0,
        "comm": "python",
        "start": BEGAN_NS,
        "end": end,
        "status": 0,
        "peak_kib": 1 << 20,
    }
    exits = [
        {"about": "exit", **facts, "number": rank, "pid": 100 + rank, "used": used}
        for rank in range(1, RANKS + 1)
    ]
    return [*exits, {"about": "ended", "at": end}]


def texts(rank: int) -> bytes:
    words = [json.dumps({"rank": rank, "world": RANKS}), "phase", *NAMES]
    parts = [(number, word.encode()) for number, word in enumerate(words, start=1)]
    return b"".join(
        slots.TEXT_LAYOUT.pack(slots.TEXT, 1, 0, number, len(word), word, 0) for number, word in parts
    )


def phase_slots(first: int, count: int) -> bytes:
    """Return steps of five phases: the step itself, and four parts of it."""
    found = np.zeros(count, records.PHASE)
    at = np.arange(first, first + count)
    part, step = at % len(NAMES), at // len(NAMES)
    found["type"] = slots.PHASE
    found["id"] = at + 1
    found["parent"] = np.where(part, step * len(NAMES) + 1, 0)
    found["name"], found["kind"] = part + 3, 2
    found["start"] = BEGAN_NS + step * STEP_NS + part * (STEP_NS // 6)
    found["end"] = found["start"] + np.where(part, STEP_NS // 7, STEP_NS - 1) + at * 7919 % 1000
    found["number"] = at + 8
    return found.tobytes()


def sample_slots(first: int, count: int, samples: int, end: int) -> bytes:
    found = np.zeros(count, records.PROCESS_SAMPLE)
    at = np.arange(first, first + count)
    found["type"], found["owner"] = slots.PROCESS_SAMPLE, at % RANKS + 1
    found["start"] = BEGAN_NS + at // RANKS * ((end - BEGAN_NS) * RANKS // samples)
    found["end"] = found["start"] + max(1, (end - BEGAN_NS) * RANKS // samples)
    found["user_us"], found["read"] = at * 7919 % 100_000, at * 104729 % 1_000_000 + 1
    found["resident_kib"], found["proportional_kib"] = 900_000 + at % 1000, 800_000 + at % 1000
    return found.tobytes()


def gauge_slots(count: int, end: int) -> bytes:
    found = np.zeros(count, records.GAUGE)
    found["type"], found["owner"] = slots.GAUGE, 1
    found["start"] = np.linspace(BEGAN_NS, end - 1_000_000, count).astype(np.int64)
    found["end"] = found["start"] + 1_000_000
    for place, name in enumerate(("first", "second", "third", "fourth")):
        found[name] = np.arange(count) * 7919 % 1000 / 1000 * (4 - place)
    return found.tobytes()


def end_slots(end: int) -> bytes:
    hello = json.dumps({"role": "launcher"}).encode()
    return b"".join(
        (
            slots.TEXT_LAYOUT.pack(slots.TEXT, 1, 0, 1, len(hello), hello, 1),
            slots.EXIT_TIMES_LAYOUT.pack(
                slots.EXIT_TIMES, 1, 0, 101, BEGAN_NS, end, 48_000_000, 8_000_000, 0, 0, 0, 2
            ),
            slots.EXIT_BYTES_LAYOUT.pack(
                slots.EXIT_BYTES, 0, 0, 101, BEGAN_NS, end, 8 << 30, 8 << 20, 0, 0, 3
            ),
            slots.FINISH_LAYOUT.pack(slots.FINISH, 0, 0, 101, BEGAN_NS, end, 0, b"", 4),
        )
    )


def manifest(makespan_s: float) -> dict[str, object]:
    facts = {"started": "2026-09-24T00:00:00.000Z", "command": ["train"], "user": os.getuid()}
    end = {"exit_code": 0, "makespan_s": makespan_s, "recording": {"launcher_cpu_s": 0.1, "agent_cpu_s": 0.1}}
    return {"schema_version": 1, "id": "0badcafe", "name": "bench", "state": "finished", **facts, **end}


def show(results: list[dict[str, float]]) -> None:
    """Print one line for each size and step, with its ratio to the size before."""
    print(
        f"{'phases':>9} {'log':>7} {'step':<12} {'seconds':>8} {'peak MB':>8} {'x before':>9} {'in units':>9}"
    )
    before: dict[str, float] = {}
    for result in results:
        for step in ("build", "first_show", "second_show"):
            took, unit = result[f"{step}_s"], result["unit_s"]
            ratio = f"{took / before[f'{step}_s']:9.1f}" if before else " " * 9
            head = f"{result['phases']:>9,} {result['log_bytes'] / 1e6:>5.0f}MB {step:<12}"
            print(f"{head} {took:>8.3f} {result[f'{step}_mb']:>8.0f} {ratio} {took / unit:>9.1f}")
        before = result


if __name__ == "__main__":
    sys.exit(main())
