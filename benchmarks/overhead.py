"""What recording costs, measured from outside.

Four questions, each with its control, interleaved so that a noisy machine disturbs both sides alike:

* agent: CPU time of launcher and agent (from /proc/PID/schedstat) over a busy workload of two processes;
  the control is an interpreter that wakes as often as the agent and does nothing.
* work: CPU time of the workload plus recorder over the bare workload; the control is bare over bare.
* start: how much `record -- true` adds and how long `--help` takes, in units of `python -c pass`.
* phase: nanoseconds of one phase where nothing is recorded, and where it is.

    python benchmarks/overhead.py [--seconds 60] [--pairs 15] [--only agent,work,start,phase] [--json]
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
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent / "src" / "longpole"
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
    chosen = options.only.split(",")
    results: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as runs:
        os.environ["LONGPOLE_RUNS"] = runs
        for name, measure in (("agent", agent), ("work", work), ("start", start), ("phase", phase)):
            if name in chosen:
                results[name] = measure(options)
    if options.json:
        print(json.dumps(results, indent=1))


def agent(options: argparse.Namespace) -> dict[str, float]:
    """CPU time of the recorder over a busy workload, in per cent of one core."""
    control = subprocess.Popen([sys.executable, "-c", IDLE])
    started = time.monotonic()
    record = subprocess.Popen([*_longpole("record", "--"), sys.executable, "-c", BUSY, str(options.seconds)])
    time.sleep(min(2.0, options.seconds / 4))
    pids = {"launcher": record.pid, "agent": _agent_of(record.pid), "control": control.pid}
    begun = time.monotonic()
    before = {name: _on_cpu_s(pid) for name, pid in pids.items()}
    time.sleep(options.seconds - min(4.0, options.seconds / 2))
    after = {name: _on_cpu_s(pid) for name, pid in pids.items()}
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
    recorded = [*_longpole("record", "--"), *bare]
    nulls, ratios = [], []
    for _ in range(options.pairs):
        first, second, third = _cpu_s(bare), _cpu_s(recorded), _cpu_s(bare)
        nulls.append(third / first)
        ratios.append(second / ((first + third) / 2))
    start_cpu = statistics.median(_cpu_s([*_longpole("record", "--"), "true"]) for _ in range(5))
    result = {
        "pairs": float(options.pairs),
        "work_cpu_s": first,
        "recorded_over_bare": statistics.median(ratios),
        "recorded_over_bare_upper95": _upper95(ratios),
        "null_control": statistics.median(nulls),
        "null_control_upper95": _upper95(nulls),
        "of_which_start_s": start_cpu,
    }
    _say(f"CPU time, recorded over bare ({options.pairs} pairs; start-up included)", result)
    return result


def start(options: argparse.Namespace) -> dict[str, float]:
    """Start-up in units of the interpreter's own."""
    commands = {
        "python": [sys.executable, "-c", "pass"],
        "true": ["true"],
        "record": [*_longpole("record", "--"), "true"],
        "help": _longpole("--help"),
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
    commands = (script, [*_longpole("record", "--"), *script])
    texts = [subprocess.run(c, capture_output=True, text=True, check=True).stdout for c in commands]
    values = [float(value) for text in texts for value in text.split()]
    names = ("unrecorded_ns", "unrecorded_with_attribute_ns", "recorded_ns", "recorded_with_attribute_ns")
    result = dict(zip(names, values, strict=True))
    _say("one phase, nanoseconds (best of 50)", result)
    return result


def _longpole(*arguments: str) -> list[str]:
    script = Path(sys.executable).with_name("longpole")
    return [str(script), *arguments] if script.exists() else [sys.executable, "-m", "longpole", *arguments]


def _agent_of(launcher: int) -> int:
    """Return the launcher's child that leads a session of its own."""
    children = Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
    return next(int(child) for child in children if os.getsid(int(child)) == int(child))


def _on_cpu_s(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def _cpu_s(command: list[str]) -> float:
    child = os.posix_spawn(command[0], command, dict(os.environ))
    usage = os.wait4(child, 0)[2]
    return usage.ru_utime + usage.ru_stime


def _wall_s(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def _upper95(values: list[float]) -> float:
    """Return the upper 95 % bound of the mean, by the normal approximation."""
    return statistics.fmean(values) + 1.96 * statistics.stdev(values) / len(values) ** 0.5


def _say(title: str, result: dict[str, float]) -> None:
    print(title, file=sys.stderr)
    for name, value in result.items():
        print(f"  {name:32} {value:12.4f}", file=sys.stderr)


def _arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the busy workload")
    parser.add_argument("--pairs", type=int, default=15, help="interleaved pairs")
    parser.add_argument("--only", default="agent,work,start,phase", help="which questions to ask")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON on standard output")
    return parser.parse_args()


if __name__ == "__main__":
    main()
