"""Figure 2 of GradeML (ICPE 2021) again: the cost of watching, as CPU time and as memory over time.

Draws what there is in the results of ``benchmarks/overhead.py --json``: ratios of ``frameworks``, where the
paper has makespans, and the longer runs of ``memory``. Needs matplotlib, which is no dependency of ours:
where that is missing, it says so.

    python -m benchmarks.figure RESULTS.json FIGURE.svg
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Figures = dict[str, Any]


def draw(results: Figures, path: str) -> None:
    """Draw the figure, or say on standard error why not."""
    panels = [name for name in ("frameworks", "memory") if name in results]
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no figure: matplotlib cannot be imported", file=sys.stderr)
        return
    if not panels:
        print("no figure: neither frameworks nor memory were measured", file=sys.stderr)
        return
    figure = Figure(figsize=(7 * len(panels), 4.2), layout="constrained")
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for name, axis in zip(panels, axes, strict=True):
        {"frameworks": _ratios, "memory": _memory}[name](axis, results[name])
    figure.savefig(path)


def _ratios(axis: Any, results: Figures) -> None:
    kinds = [kind for kind in ("train", "infer") if kind in results]
    names = sorted(
        {name for kind in kinds for name in results[kind]["variants"]},
        key=lambda name: max(results[kind]["variants"].get(name, {}).get("median", 0) for kind in kinds),
    )
    height = 0.8 / len(kinds)
    for place, kind in enumerate(kinds):
        medians = [results[kind]["variants"].get(name, {}).get("median", 0) for name in names]
        at = [row + place * height for row in range(len(names))]
        bars = axis.barh(at, medians, height, label=kind)
        axis.bar_label(bars, [f"{median:.3f}" for median in medians], padding=2)
    axis.set_yticks([row + height * (len(kinds) - 1) / 2 for row in range(len(names))], names)
    axis.set_xscale("log")
    axis.axvline(1, color="black", linewidth=0.8)
    axis.set_xlabel("CPU time over the bare workload (median of rounds)")
    axis.margins(x=0.15)
    axis.legend()


def _memory(axis: Any, results: Figures) -> None:
    longest: Figures = {}
    for run in results["runs"]:  # the longer run of a variant comes later
        longest[run["variant"]] = run
    for name, run in longest.items():
        # From just before the loop, and without the last look at processes that are about to be gone.
        shown = [(at - run["began"], used / 1000) for at, used in run["series"] if at > run["began"] - 1]
        seconds, used_gb = zip(*(point for point in shown if point[1] > 0.01), strict=True)
        (line,) = axis.plot(seconds, used_gb, label=name)
        if run["fate"] != "whole":
            axis.plot(seconds[-1], used_gb[-1], "x", color=line.get_color())
    axis.set_yscale("log")
    axis.set_xlabel("seconds since the loop began (x: stopped at the limit)")
    axis.set_ylabel("memory of all processes, GB")
    axis.legend()


if __name__ == "__main__":
    draw(json.loads(Path(sys.argv[1]).read_text()), sys.argv[2])
