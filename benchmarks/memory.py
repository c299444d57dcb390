"""Memory over time, with nothing that watches and with recorders: figure 2 (b) of GradeML (ICPE 2021) again.

Method: the memory of the workload and all its processes, the recorder's among them, read from outside five
times a second: anonymous and shared memory, proportionally (PSS), so that what several of them share counts
once. ``start`` is just before the loop; ``end`` just after it, with what a peer still holds then; ``growth``
is the difference, and ``peak`` the most in between. A peer begins with the loop. Each variant runs at N and
at 10 N steps, once; a run that passes the limit is stopped. Leaves out: what comes and goes between looks,
the page cache and written files, and mapped files of libraries, whose share depends on who else uses them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.frameworks import calibrated, chosen, environment, say, workload_command
from benchmarks.processes import ROOT, tree

Figures = dict[str, Any]
VARIANTS = ("bare", "longpole", "opentelemetry", "profiler", "profiler-epochs", "profiler-full")
INTERVAL_S = 0.2
KIND = "train"
_KEPT = ("Pss_Anon:", "Pss_Shmem:")
_COLUMNS = ("start_mb", "end_mb", "peak_mb", "growth_mb", "growth_mb_per_1000_steps")


def memory(options: argparse.Namespace) -> Figures:
    """Watch the memory of all chosen variants at both lengths."""
    names, skipped = chosen(options.variants, VARIANTS)
    width = calibrated()[KIND]["width"]
    say("memory of all processes in MB; growth over the loop, and in 1000 steps")
    heads = "".join(f"{head:>10}" for head in ("start", "end", "peak", "growth", "in 1000"))
    say(f"  {'':16}{'steps':>7}{'seconds':>9}{heads}")
    runs = []
    for steps in (options.steps, 10 * options.steps):
        for name in names:
            runs.append(_run(name, width, steps, options.limit))
            _show(runs[-1])
    results: Figures = {"skipped": skipped, "runs": runs, "over_bare": _over_bare(runs)}
    for name, lines in results["over_bare"].items():
        at = ", ".join(f"{line['growth_mb']:+.1f} MB at {line['steps']} steps" for line in lines)
        say(f"  {name} over bare: {lines[0]['start_mb']:+.1f} MB at the start; growth {at}")
    return results


def _run(name: str, width: int, steps: int, limit_gb: float) -> Figures:
    """Run one variant, and return its memory over time with what that comes to."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ("--steps", str(steps), "--width", str(width), "--folder", folder, "--fresh")
        command = workload_command(name, KIND, *arguments)
        output, errors = Path(folder) / "output", Path(folder) / "errors"
        with output.open("wb") as out, errors.open("wb") as err:
            child = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=out, stderr=err)
            series = _watch(child, limit_gb * 1000)
        found = _sum_up(series, [json.loads(line) for line in output.read_text().splitlines()])
        fate = "whole" if "ended" in found else "stopped at the limit" if child.returncode < 0 else "failed"
        if fate == "failed":
            say(errors.read_text(errors="replace")[-500:])
    return {"variant": name, "width": width, **found, "fate": fate, "series": series}


def _watch(child: subprocess.Popen[bytes], limit_mb: float) -> list[tuple[float, float]]:
    """Return moments and megabytes until the process has ended, or was stopped at the limit."""
    series: list[tuple[float, float]] = []
    while child.poll() is None:
        used_mb = sum(map(_used_mb, tree(child.pid)))
        series.append((time.monotonic(), used_mb))
        if used_mb > limit_mb:
            child.kill()
            child.wait()
            break
        time.sleep(INTERVAL_S)
    return series


def _used_mb(pid: int) -> float:
    """Return a process's share of anonymous and shared memory."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0  # it has ended
    return sum(int(line.split()[1]) for line in lines if line.startswith(_KEPT)) * 1024 / 1e6


def _sum_up(series: list[tuple[float, float]], lines: list[Figures]) -> Figures:
    """Return start, end, peak and growth; of a run that was stopped, up to there."""
    whole = bool(lines) and "ended" in lines[-1]
    epochs = [line for line in lines if "began" not in line]
    began = lines[-1]["began"] if whole else _first_epoch(epochs, series)
    # The workload rests after its loop; the last look before it leaves is the one.
    ended = lines[-1]["ended"] + INTERVAL_S * 2 if whole else series[-1][0]
    steps = max((line["steps"] for line in epochs), default=0)
    start = [used for at, used in series if at <= began][-1:] or [series[0][1]]
    within = [used for at, used in series if began < at <= ended] or start
    growth = within[-1] - start[0]
    return {
        "steps": steps,
        **({"ended": lines[-1]["ended"]} if whole else {}),
        "seconds": ended - began,
        "start_mb": start[0],
        "end_mb": within[-1],
        "peak_mb": max(within),
        "growth_mb": growth,
        "growth_mb_per_1000_steps": growth * 1000 / steps if steps else float("nan"),
        "began": began,
    }


def _first_epoch(epochs: list[Figures], series: list[tuple[float, float]]) -> float:
    """Return about when a loop began whose end was never told: an epoch before its first ended."""
    if len(epochs) < 2:
        return series[0][0]
    return float(2 * epochs[0]["at"] - epochs[1]["at"])


def _over_bare(runs: list[Figures]) -> dict[str, list[dict[str, float]]]:
    """Return, for each variant and length, what it had at the start and grew by beyond the bare one."""
    bare = {run["steps"]: run for run in runs if run["variant"] == "bare"}
    found: dict[str, list[dict[str, float]]] = {}
    for run in runs:
        if run["variant"] != "bare" and run["fate"] == "whole" and run["steps"] in bare:
            beyond = {key: run[key] - bare[run["steps"]][key] for key in ("start_mb", "peak_mb", "growth_mb")}
            found.setdefault(run["variant"], []).append({"steps": run["steps"], **beyond})
    return found


def _show(run: Figures) -> None:
    figures = "".join(f"{run[key]:10.1f}" for key in _COLUMNS)
    fate = "" if run["fate"] == "whole" else f"  {run['fate']}"
    say(f"  {run['variant']:16}{run['steps']:7}{run['seconds']:9.1f}{figures}{fate}")
