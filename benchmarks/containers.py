"""What a container costs at its start: our command beside a bare one of bubblewrap, in the same run.

Method: a real image of a few programs, as a directory and as a mounted squashfs file. Each round starts
``true`` once in every way, in rotated order: on the host; by ``bwrap --ro-bind IMAGE / true``; by our command
line, which has namespaces, /proc, /dev, /tmp, the job's folder and inputs besides; and by ours with the job's
folder where the image has no place for it. Ratios are of rounds, each within itself. ``composing`` is what
making the command line takes, in microseconds. Leaves out: ``prepare``, which is done once for all jobs and
is printed in milliseconds; memory for cold images, since all are read from the page cache here.

    python -m benchmarks.containers --rounds 200
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.ratios import summary
from longpole.model.containers import Inside
from longpole.run.containers.bwrap import Bubblewrap
from longpole.run.containers.mounts import Mounts
from tests.images import make_root, make_squashfs

TRUE = "/bin/true"
Ways = dict[str, list[str]]
Rounds = list[dict[str, float]]


def main() -> None:
    """Measure, and print ratios with their bounds, then all of it as JSON."""
    options = _arguments()
    with tempfile.TemporaryDirectory(prefix="longpole-bench-") as name:
        results = {kind: _measure(Path(name), kind, options.rounds) for kind in ("directory", "squashfs")}
    print(json.dumps(results))


def _measure(folder: Path, kind: str, rounds: int) -> dict[str, object]:
    root = make_root(folder / kind / "root")
    image = root if kind == "directory" else make_squashfs(root, folder / kind / "image")
    runtime = Bubblewrap(Mounts(str(folder / "mounts")))
    began = time.perf_counter()
    prepared = runtime.prepare(str(image))
    ready_ms = (time.perf_counter() - began) * 1e3
    # /tmp is new in every container, so a folder there needs no place in the image; this one does
    with tempfile.TemporaryDirectory(prefix="longpole-bench-", dir="/var/tmp") as elsewhere:
        ways, composing_us = _ways(runtime, prepared, folder / "job", elsewhere)
        found = _rounds(ways, rounds)
    runtime.release(prepared)
    return _show(kind, found, {"prepare_ms": ready_ms, "composing_us": composing_us})


def _ways(runtime: Bubblewrap, prepared: str, job: Path, elsewhere: str) -> tuple[Ways, float]:
    """Return the command lines, and how long it takes to make ours."""
    (job / "inputs").mkdir(parents=True, exist_ok=True)
    inside = Inside(str(job), ("inputs/",))
    ways = {
        "host": [TRUE],
        "bare": ["bwrap", "--ro-bind", prepared, "/", TRUE],
        "ours": runtime.command(prepared, inside, [TRUE]),
        "ours-composed": runtime.command(prepared, Inside(elsewhere), [TRUE]),
    }
    return ways, _median_us(lambda: runtime.command(prepared, inside, [TRUE]))


def _rounds(ways: Ways, rounds: int) -> Rounds:
    found: Rounds = []
    names = list(ways)
    for number in range(rounds):
        turn = number % len(names)
        found.append({name: _took_ms(ways[name]) for name in (*names[turn:], *names[:turn])})
    return found


def _took_ms(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1e3


def _median_us(action: Callable[[], object]) -> float:
    took = []
    for _ in range(200):
        began = time.perf_counter()
        action()
        took.append((time.perf_counter() - began) * 1e6)
    return statistics.median(took)


def _show(kind: str, rounds: Rounds, once: dict[str, float]) -> dict[str, object]:
    medians = {name: statistics.median(found[name] for found in rounds) for name in rounds[0]}
    ratios = {
        name: summary([found[name] / found["bare"] for found in rounds]) for name in ("ours", "ours-composed")
    }
    told = ", ".join(f"{name} {value:.2f} ms" for name, value in medians.items())
    _say(f"{kind}: {told}; prepare {once['prepare_ms']:.1f} ms, composing {once['composing_us']:.0f} us")
    for name, ratio in ratios.items():
        _say(f"  {name} / bare: median {ratio['median']:.2f}, at most {ratio['median_upper95']:.2f} (95 %)")
    return {**once, "median_ms": medians, "over_bare": ratios}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What a container costs at its start.")
    parser.add_argument("--rounds", type=int, default=200)
    return parser.parse_args()


if __name__ == "__main__":
    main()
