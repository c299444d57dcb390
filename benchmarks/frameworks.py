"""What recorders cost a loop of steps: CPU time of workload plus recorder, over that of the bare workload.

Method: one process for each run (``benchmarks/workloads.py``, which counts its loop alone), all variants
interleaved in rounds; the order is rotated by one each round, and reversed in every second. A ratio is taken
within a round, to the mean of the two bare runs there; the control is the second bare run over the first.
Runs of dear variants are shorter and rarer (``Variant``); all figures are per step. ``stepping`` is the ratio
up to the last step, before a peer puts its findings in order. Leaves out what a recorder takes to start and
end: ``outside`` shows that in seconds, as the CPU time of all processes (wait4) outside the loop, above that
of the bare runs.

An extra, far less noisy: what the hooks cost within one process that takes turns with them on and off
(``benchmarks/turns.py``), to which the CPU time of launcher and agent in the whole runs is added; the bound
of the sum is the sum of both bounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers import VARIANTS
from benchmarks.processes import ROOT, answer, longpole, module
from benchmarks.ratios import AGAIN, BASE, null_control, over_bare, summary
from benchmarks.turns import TURN_MS, take_turns

Figures = dict[str, Any]
_KEYS = ("median", "median_upper95", "mean", "upper95")
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}


def frameworks(options: argparse.Namespace) -> Figures:
    """Compare all chosen variants on all chosen workloads."""
    names, skipped = chosen(options.variants)
    widths = calibrated()
    results: Figures = {"calibrated": widths, "skipped": skipped}
    for kind in options.work.split(","):
        rounds = [_round(options, names, kind, widths[kind], number) for number in range(options.pairs)]
        results[kind] = _sum_up(rounds, names)
        if "longpole" in names:
            results[kind]["turns"] = _sharply(options, kind, widths[kind], results[kind])
        _show(kind, widths[kind], results[kind])
    return results


def chosen(text: str, among: Sequence[str] = tuple(VARIANTS)) -> tuple[list[str], dict[str, str]]:
    """Return the variants to run, both bare ones always among them, and those that lack a library."""
    wished = [BASE, AGAIN, *(text.split(",") if text else among)]
    unknown = sorted(set(wished) - set(VARIANTS))
    if unknown:
        sys.exit(f"There is no variant {', '.join(unknown)}; there are {', '.join(VARIANTS)}.")
    missing = {name: VARIANTS[name].missing() for name in among if name in wished}
    for name, library in missing.items():
        if library:
            say(f"  skipped: {name}, as {library} cannot be imported")
    return [name for name in missing if not missing[name]], {n: m for n, m in missing.items() if m}


def calibrated() -> Figures:
    """Return the width with which a step of each workload takes as long as it should, and say it."""
    widths: Figures = json.loads(answer(module("workloads", "calibrate"), environment()))
    for kind, found in widths.items():
        far = abs(found["step_ms"] / found["target_ms"] - 1) > 1 / 6
        beside = f"; {found['target_ms']} ms were wished for" if far else ""
        say(f"  {kind}: a step of a model {found['width']} wide takes {found['step_ms']:.2f} ms here{beside}")
    return widths


def environment() -> dict[str, str]:
    """Return the environment of a workload: one thread."""
    return {**os.environ, **ONE_THREAD}


def workload_command(name: str, kind: str, *arguments: str) -> list[str]:
    """Return the command line of a workload as a variant runs it."""
    command = module("workloads", kind, "--variant", name, *arguments)
    return [*longpole("record", "--"), *command] if VARIANTS[name].recorded else command


def say(text: str) -> None:
    """Say how far it is, on standard error."""
    print(text, file=sys.stderr, flush=True)


def _round(options: argparse.Namespace, names: list[str], kind: str, at: Figures, number: int) -> Figures:
    """Run every variant whose turn it is; return what each used."""
    began = time.monotonic()
    turn = number % len(names)
    order = [*names[turn:], *names[:turn]][:: -1 if number % 2 else 1]
    found: Figures = {}
    for name in order:
        if number % VARIANTS[name].every == 0:
            steps = round(options.loop * VARIANTS[name].share * 1000 / at["step_ms"])
            used = _run(name, kind, ("--steps", str(steps), "--width", str(at["width"])))
            found.update({name: used} if used else {})
    took = ", ".join(f"{name} {used['step_us']:.0f}" for name, used in found.items())
    say(f"  {kind} round {number + 1}/{options.pairs}, {time.monotonic() - began:.0f} s; us a step: {took}")
    return found


def _run(name: str, kind: str, arguments: tuple[str, ...]) -> Figures:
    """Run one variant once; return what it used, or nothing where it failed."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        command = workload_command(name, kind, *arguments, "--folder", folder)
        with output.open("wb") as out, (Path(folder) / "errors").open("wb+") as errors:
            child = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=out, stderr=errors)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            complaint = errors.read().decode(errors="replace")
        if child.returncode:
            say(f"  {name} failed with {child.returncode}: {complaint[-500:].strip()}")
            return {}
        last: Figures = json.loads(output.read_text().splitlines()[-1])
    loop_s = last["cpu_s"] + last["recorder_s"]
    return {
        "step_us": loop_s / last["steps"] * 1e6,
        "stepping_us": (last["stepping_s"] + last["recorder_s"]) / last["steps"] * 1e6,
        "recorder_us": last["recorder_s"] / last["steps"] * 1e6,
        "outside_s": usage.ru_utime + usage.ru_stime - loop_s,
        "loop_s": loop_s,
    }


def _sum_up(rounds: list[Figures], names: list[str]) -> Figures:
    results: Figures = {"rounds": rounds, "variants": {}}
    per_step = [{name: used["step_us"] for name, used in found.items()} for found in rounds]
    results["null_control"] = summary(null_control(per_step))
    for name in names:
        ratios = over_bare(per_step, name)
        if name not in (BASE, AGAIN) and ratios:
            results["variants"][name] = {**summary(ratios), **_parts(rounds, name)}
    return results


def _parts(rounds: list[Figures], name: str) -> dict[str, float]:
    """Return medians of what is known besides the ratio, over the rounds a variant ran in."""
    full = [found for found in rounds if {name, BASE, AGAIN} <= found.keys()]

    def of_bare(key: str) -> float:
        return statistics.median(
            2 * found[name][key] / (found[BASE]["step_us"] + found[AGAIN]["step_us"]) for found in full
        )

    outside = [
        found[name]["outside_s"] - (found[BASE]["outside_s"] + found[AGAIN]["outside_s"]) / 2
        for found in full
    ]
    return {
        "while_stepping": of_bare("stepping_us"),
        "recorder_share": of_bare("recorder_us"),
        "outside_s": statistics.median(outside),
        "loop_s": statistics.median(found[name]["loop_s"] for found in full),
    }


def _sharply(options: argparse.Namespace, kind: str, at: Figures, results: Figures) -> Figures:
    """Return what hooks that are on and off in turns cost, alone and with the recorder's own CPU time."""
    steps = max(1, round(TURN_MS / at["step_ms"]))
    arguments = [kind, "--width", str(at["width"]), "--steps", str(steps), "--seconds"]
    say(f"  {kind}: {options.sets} processes turn the hooks on and off, {options.set_seconds:.0f} s each")
    try:
        found = take_turns([*arguments, str(options.set_seconds)], environment(), options.sets)
    except subprocess.CalledProcessError as error:
        say(f"  taking turns failed: {error.stderr[-500:].strip()}")
        return {}
    recorder = summary(_recorder_shares(results["rounds"]))
    together = {key: found["hooks"][key] + recorder[key] for key in _KEYS}
    return {**found, "with_recorder": together, "recorder": recorder}


def _recorder_shares(rounds: list[Figures]) -> list[float]:
    """Return the CPU time of launcher and agent over that of the bare workload, in each round."""
    full = [found for found in rounds if {"longpole", BASE, AGAIN} <= found.keys()]
    return [
        2 * found["longpole"]["recorder_us"] / (found[BASE]["step_us"] + found[AGAIN]["step_us"])
        for found in full
    ]


def _show(kind: str, at: Figures, results: Figures) -> None:
    say(f"{kind}, step of {at['step_ms']:.2f} ms: CPU time over the bare workload, loop only")
    names = ("median", "upper95", "mean", "upper95")
    head = "".join(f"{name:>9}" for name in names)
    say(f"  {'':18}{head}{'rounds':>7}{'stepping':>10}{'outside':>9}")
    for name, found in results["variants"].items():
        beside = f"{found['while_stepping']:10.4f}{found['outside_s']:+8.2f}s"
        _line(name, found, f"{beside}  {VARIANTS[name].words}")
    _line("null control", results["null_control"])
    if results.get("turns"):
        _show_turns(results["turns"])


def _show_turns(found: Figures) -> None:
    say("  of longpole, processes that take turns with its hooks on and off; rounds are processes:")
    _line("hooks alone", found["hooks"])
    _line("null control", found["null_control"])
    _line(" by median turn", found["hooks_median_turn"])
    _line(" null control", found["null_control_median_turn"])
    _line("launcher and agent", found["recorder"])
    _line("hooks + recorder", found["with_recorder"])


def _line(name: str, found: Figures, words: str = "") -> None:
    figures = "".join(f"{found[key]:9.4f}" for key in _KEYS)
    rounds = f"{found['rounds']:7.0f}" if "rounds" in found else " " * 7
    bound = f"  lower95 {found['lower95']:.4f}" if name.endswith("null control") else ""
    say(f"  {name:18}{figures}{rounds}{words}{bound}")
