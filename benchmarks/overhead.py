"""What recording costs, measured from outside.

Six questions, each with its control, interleaved so that a noisy machine disturbs both sides alike:

* agent: CPU time of launcher and agent (from /proc/PID/schedstat) over a busy workload of two processes;
  the control is an interpreter that wakes as often as the agent and does nothing.
* work: CPU time of the workload plus recorder over the bare workload; the control is bare over bare.
* start: how much `record -- true` adds and how long `--help` takes, in units of `python -c pass`.
* phase: nanoseconds of one phase where nothing is recorded, and where it is.
* frameworks: the same as work, for loops of PyTorch, and next to PyTorch's profiler, OpenTelemetry and psutil
  (benchmarks/frameworks.py). Takes about 45 minutes, and is asked only by name.
* memory: memory over time of the same loops and recorders (benchmarks/memory.py). Likewise; some minutes.

    python benchmarks/overhead.py [--seconds 60] [--pairs 15] [--only agent,work,start,phase] [--json]
    python benchmarks/overhead.py --only frameworks,memory --figure figure.svg --json > results.json
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # by itself a script finds only what lies beside it

from benchmarks.processes import agent_of, longpole, on_cpu_s  # noqa: E402
from benchmarks.ratios import summary  # noqa: E402

PACKAGE = ROOT / "src" / "longpole"
BUSY = """
import os, sys, time
child = os.fork()
end = time.monotonic() + float(sys.argv[1])
total = 0
while time.monotonic() < end:
    for n in range(10000): total += n * n
    if child: os.write(devnull := os.open('/dev/null', os.O_WRONLY), b'x' * 4096); os.close(devnull)
if child: os.waitpid(child, 0)
"""
QUICK = {"seconds": 8.0, "pairs": 2, "loop": 0.6, "sets": 2, "set_seconds": 2.0, "steps": 100, "limit": 1.0}
FIXED = "total = 0\nfor n in range({count}): total += n * n % 7\n"
IDLE = "import time\nwhile True: time.sleep(0.1)\n"
PHASE = """
import sys, timeit
from longpole import phase
def once():
    with phase('x'): pass
def noted():
    with phase('x', rows=1): pass
for function in (once, noted):
    print(min(timeit.repeat(function, number=2000, repeat=50)) / 2000 * 1e9)
"""


def main() -> None:
    options = _arguments()
    compileall.compile_dir(PACKAGE, quiet=1)  # an installed package is compiled; a checkout may not be
    results: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as runs:
        os.environ["LONGPOLE_RUNS"] = runs
        for name, measure in QUESTIONS.items():
            if name in options.only.split(","):
                results[name] = measure(options)
    if options.json:
        print(json.dumps(results, indent=1))
    if options.figure:
        from benchmarks.figure import draw

        draw(results, options.figure)


def agent(options: argparse.Namespace) -> dict[str, float]:
    """CPU time of the recorder over a busy workload, in per cent of one core."""
    control = subprocess.Popen([sys.executable, "-c", IDLE])
    started = time.monotonic()
    record = subprocess.Popen([*longpole("record", "--"), sys.executable, "-c", BUSY, str(options.seconds)])
    time.sleep(min(2.0, options.seconds / 4))
    pids = {"launcher": record.pid, "agent": agent_of(record.pid), "control": control.pid}
    begun = time.monotonic()
    before = {name: on_cpu_s(pid) for name, pid in pids.items()}
    time.sleep(options.seconds - min(4.0, options.seconds / 2))
    after = {name: on_cpu_s(pid) for name, pid in pids.items()}
    lasted = time.monotonic() - begun
    whole = 100 * (after["launcher"] + after["agent"]) / (time.monotonic() - started)
    control.kill()
    control.wait()
    record.wait()
    shares = {name: 100 * (after[name] - before[name]) / lasted for name in pids}
    result = {
        "seconds": lasted,
        "launcher_percent": shares["launcher"],
        "agent_percent": shares["agent"],
        "recorder_percent": shares["launcher"] + shares["agent"],
        "recorder_percent_with_start": whole,
        "control_percent": shares["control"],
        "start_cpu_s": before["launcher"] + before["agent"],
    }
    _say("recorder, per cent of one core over a busy two-process workload", result)
    return result


def work(options: argparse.Namespace) -> dict[str, float]:
    """CPU time of a fixed piece of work plus its recorder, over the bare work."""
    count = 4_000_000
    bare = [sys.executable, "-c", FIXED.format(count=count)]
    recorded = [*longpole("record", "--"), *bare]
    nulls, ratios = [], []
    for _ in range(options.pairs):
        first, second, third = _cpu_s(bare), _cpu_s(recorded), _cpu_s(bare)
        nulls.append(third / first)
        ratios.append(second / ((first + third) / 2))
    start_cpu = statistics.median(_cpu_s([*longpole("record", "--"), "true"]) for _ in range(5))
    result = {
        "pairs": float(options.pairs),
        "work_cpu_s": first,
        "recorded_over_bare": statistics.median(ratios),
        "recorded_over_bare_upper95": summary(ratios)["upper95"],
        "null_control": statistics.median(nulls),
        "null_control_upper95": summary(nulls)["upper95"],
        "of_which_start_s": start_cpu,
    }
    _say(f"CPU time, recorded over bare ({options.pairs} pairs; start-up included)", result)
    return result


def start(options: argparse.Namespace) -> dict[str, float]:
    """Start-up in units of the interpreter's own."""
    commands = {
        "python": [sys.executable, "-c", "pass"],
        "true": ["true"],
        "record": [*longpole("record", "--"), "true"],
        "help": longpole("--help"),
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(max(options.pairs, 15)):
        for name, command in commands.items():
            times[name].append(_wall_s(command))
    # Each round is compared within itself: a machine that is slow for a while is slow for all of them.
    rounds = list(zip(times["record"], times["true"], times["help"], times["python"], strict=True))
    result = {
        "record_adds": statistics.median((record - true) / unit for record, true, _, unit in rounds),
        "help_takes": statistics.median(shown / unit for _, _, shown, unit in rounds),
        "python_ms": statistics.median(times["python"]) * 1000,
    }
    _say("start-up, in units of `python -c pass`", result)
    return result


def phase(_: argparse.Namespace) -> dict[str, float]:
    """Nanoseconds of one phase."""
    script = [sys.executable, "-c", PHASE]
    commands = (script, [*longpole("record", "--"), *script])
    texts = [subprocess.run(c, capture_output=True, text=True, check=True).stdout for c in commands]
    values = [float(value) for text in texts for value in text.split()]
    names = ("unrecorded_ns", "unrecorded_with_attribute_ns", "recorded_ns", "recorded_with_attribute_ns")
    result = dict(zip(names, values, strict=True))
    _say("one phase, nanoseconds (best of 50)", result)
    return result


def frameworks(options: argparse.Namespace) -> dict[str, object]:
    """What recorders cost loops of PyTorch."""
    if not _has_torch():
        return {}
    from benchmarks.frameworks import frameworks

    return frameworks(options)


def memory(options: argparse.Namespace) -> dict[str, object]:
    """Memory over time of loops of PyTorch with recorders."""
    if not _has_torch():
        return {}
    from benchmarks.memory import memory

    return memory(options)


QUESTIONS = {
    "agent": agent,
    "work": work,
    "start": start,
    "phase": phase,
    "frameworks": frameworks,
    "memory": memory,
}


def _has_torch() -> bool:
    found = find_spec("torch") is not None
    if not found:
        print("skipped: PyTorch is not installed", file=sys.stderr)
    return found


def _cpu_s(command: list[str]) -> float:
    child = os.posix_spawn(command[0], command, dict(os.environ))
    usage = os.wait4(child, 0)[2]
    return usage.ru_utime + usage.ru_stime


def _wall_s(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def _say(title: str, result: dict[str, float]) -> None:
    print(title, file=sys.stderr)
    for name, value in result.items():
        print(f"  {name:32} {value:12.4f}", file=sys.stderr)


def _arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--only", default="agent,work,start,phase", help="which questions to ask")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON on standard output")
    parser.add_argument("--pairs", type=int, default=15, help="interleaved pairs, and rounds of frameworks")
    parser.add_argument("--seconds", type=float, default=60.0, help="agent: length of the busy workload")
    loops = parser.add_argument_group("frameworks and memory")
    loops.add_argument("--work", default="train,infer", help="frameworks: which workloads")
    loops.add_argument("--variants", default="", help="which variants, besides the bare ones; else all")
    loops.add_argument("--loop", type=float, default=4.0, help="frameworks: seconds of a bare loop")
    loops.add_argument(
        "--sets", type=int, default=15, help="frameworks: processes that turn hooks on and off"
    )
    loops.add_argument("--set-seconds", type=float, default=30.0, help="frameworks: how long each does")
    loops.add_argument("--steps", type=int, default=200, help="memory: N; 10 N are run as well")
    loops.add_argument("--limit", type=float, default=4.0, help="memory: stop a run at so many GB")
    loops.add_argument("--figure", default="", metavar="FILE.svg", help="draw the results (needs matplotlib)")
    parser.add_argument("--quick", action="store_true", help="a smoke test: too short to tell anything")
    options = parser.parse_args()
    if options.quick:
        vars(options).update(QUICK)
    return options


if __name__ == "__main__":
    main()
