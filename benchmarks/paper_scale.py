"""The three workflows at the scale of the paper on one GPU: recorded runs of both variants, and their tables.

Each *part* is a run: ``galaxy:tuned:10`` is a workflow, a variant and a seed. More parameters may follow:
``crisis:published:10:trials=1:epochs=2`` is a smaller part of the work. Data and weights are made first, if
they are not there. Parts run one after the other until the time is up; the run that is going on then is
stopped as by Ctrl-C. Called again with the same folder, it is resumed, and what is finished is not done
again: a machine that is lent for minutes at a time is enough.

In the end the report has, for each part: how it ended and what it took, the paper's Tables I, III and IV, the
first findings of ``longpole explain``, and for each training the operations that it tells over the time it
took. What was stopped is said to be so; its tables are of what had run until then.

    python -m benchmarks.paper_scale --folder /tmp/paper --seconds 540 galaxy:tuned:10 lung:tuned:10
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT, longpole

WORKFLOWS = ("galaxy", "lung", "crisis")
VARIANTS = ("published", "tuned")
TABLES = ("I", "III", "IV")
OPERATIONS = """
    SELECT name, (attributes->>'flops')::DOUBLE AS flops, duration_ns / 1e9 AS seconds
    FROM phases WHERE attributes->>'flops' IS NOT NULL AND duration_ns > 0 ORDER BY start_ns"""
MOST_FINDINGS = 3
# How long a driver may take to stop its jobs and to write down how it ended.
STOPPING_S = 60.0


@dataclass(frozen=True)
class Part:
    """One run: a workflow, a variant, a seed, and other parameters."""

    workflow: str
    variant: str
    seed: int
    chosen: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What its run is called."""
        words = [self.workflow, self.variant, str(self.seed), *self.chosen]
        return "-".join(word.replace("=", "") for word in words)


def part_of(text: str) -> Part:
    """Return the part that is meant by ``workflow:variant:seed[:name=value...]``."""
    words = text.split(":")
    if len(words) < 3 or words[0] not in WORKFLOWS or words[1] not in VARIANTS or not words[2].isdigit():
        raise argparse.ArgumentTypeError(
            f"{text!r} is no part: say WORKFLOW:VARIANT:SEED[:NAME=VALUE...]; "
            f"workflows are {', '.join(WORKFLOWS)}, variants {' and '.join(VARIANTS)}"
        )
    if odd := [word for word in words[3:] if not word.partition("=")[2]]:
        raise argparse.ArgumentTypeError(f"{odd[0]!r} in {text!r} is no NAME=VALUE")
    return Part(words[0], words[1], int(words[2]), tuple(words[3:]))


def main() -> int:
    """Run all parts for which there is time, and report."""
    asked = _arguments()
    end = time.monotonic() + asked.seconds
    folder = asked.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["LONGPOLE_RUNS"] = str(folder / "runs")
    states: dict[Part, str | None] = {}
    for part in asked.parts:
        if _state(part) == "finished":
            states[part] = "finished"
        elif time.monotonic() >= end:
            states[part] = "not begun" if _state(part) is None else _state(part)
        else:
            _prepare(part, folder, asked.scale)
            _run(part, folder, asked, end)
            states[part] = _state(part)
        left_s = max(0.0, end - time.monotonic())
        print(f"{part.name}: {states[part]}, {left_s:.0f} s left", file=sys.stderr, flush=True)
    report = [_report(part, state) for part, state in states.items()]
    facts = json.dumps([each for each, _ in report], indent=1)
    (folder / "report.json").write_text(facts, encoding="utf-8")
    (folder / "report.md").write_text("\n".join(text for _, text in report), encoding="utf-8")
    print((folder / "report.md").read_text(encoding="utf-8"))
    return 0 if all(state == "finished" for state in states.values()) else 1


# ------------------------------------------------------------------------------------------ running


def _prepare(part: Part, folder: Path, scale: str) -> None:
    """Make data and weights where they are not there."""
    data, weights = folder / "data" / part.workflow, folder / "vgg.pth"
    made = folder / f"{part.workflow}.made"
    if not made.exists():
        _call("generate", [f"workflows/{part.workflow}/generate.py", "--scale", scale, "--out", str(data)])
        made.touch()
    if part.workflow == "galaxy" and scale == "paper" and not weights.exists():
        _call("pretrain", ["workflows/galaxy/pretrain.py", "--out", str(weights), "--epochs", "4"])


def _call(what: str, arguments: list[str]) -> None:
    begun = time.monotonic()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    print(f"{what}: {arguments[0]} took {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)


def _run(part: Part, folder: Path, asked: argparse.Namespace, end: float) -> None:
    """Run a part, or go on with it; stop it when the time is up."""
    command = longpole("run", *_arguments_of(part, folder, asked.scale))
    if _state(part) is not None:
        command = longpole("run", "--resume", f"latest:{part.name}")
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as running:
        try:
            running.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGINT)
            running.wait(STOPPING_S)


def _arguments_of(part: Part, folder: Path, scale: str) -> list[str]:
    chosen = [
        f"scale={scale}",
        f"variant={part.variant}",
        f"seed={part.seed}",
        "container=none",
        *part.chosen,
    ]
    chosen.append(f"data={folder / 'data' / part.workflow}")
    if part.workflow == "galaxy" and scale == "paper":
        chosen.append(f"weights={folder / 'vgg.pth'}")
    places = [("--name", part.name)]
    places += [(f"--{each}", str(folder / each / part.name)) for each in ("work", "out")]
    told = [("--set", each) for each in chosen]
    return [f"workflows/{part.workflow}", *(word for pair in (*places, *told) for word in pair)]


def _state(part: Part) -> str | None:
    """Return how the run of a part stands; None if there is none."""
    asked = longpole("status", f"latest:{part.name}", "--json")
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    return str(json.loads(done.stdout)["state"]) if done.returncode == 0 else None


# ------------------------------------------------------------------------------------------ reporting


def _report(part: Part, state: str | None) -> tuple[dict[str, Any], str]:
    """Return what is known of a part, and the same for a person to read."""
    facts: dict[str, Any] = {"part": part.name, "state": state}
    lines = [f"## {part.name}", "", f"{state}."]
    if state in (None, "not begun"):
        return facts, "\n".join([*lines, ""])
    run = f"latest:{part.name}"
    facts["status"] = _json("status", run)
    facts["operations"] = _json("query", run, OPERATIONS)["rows"]
    facts["findings"] = [
        {name: each[name] for name in ("title", "phase", "saving_s", "saving_low_s", "saving_high_s")}
        for each in _json("explain", run)["findings"][:MOST_FINDINGS]
    ]
    lines[-1] = f"{state}; {facts['status']['makespan_s']:.1f} s from end to end, since it was last resumed."
    lines += ["", *(f"- {row['name']}: {_speed(row)}" for row in facts["operations"])]
    lines += [f"- found: {json.dumps(each)}" for each in facts["findings"]]
    for number in TABLES:
        lines += ["", _told("table", run, "--like", number, "--format", "markdown")]
    lines += ["", "```", _told("show", run), "```", ""]
    return facts, "\n".join(lines)


def _speed(row: dict[str, Any]) -> str:
    """Say how many operations a training did, and how fast."""
    return f"{row['flops']:.3g} FLOP in {row['seconds']:.1f} s, {row['flops'] / row['seconds']:.3g} FLOP/s"


def _json(*arguments: str) -> Any:
    return json.loads(_told(*arguments, "--json"))


def _told(*arguments: str) -> str:
    done = subprocess.run(longpole(*arguments), cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="+", type=part_of, help="WORKFLOW:VARIANT:SEED[:NAME=VALUE...]")
    parser.add_argument("--folder", type=Path, required=True, help="where data, runs and the report go")
    parser.add_argument("--seconds", type=float, default=540.0, help="stop after so long")
    parser.add_argument("--scale", default="paper", choices=("tiny", "small", "paper"))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
