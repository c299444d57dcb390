"""What the hooks cost, sharply: a recorded process and two bare ones take turns of a twentieth of a second.

Method: a set of three processes is started; all have warmed up before the first turn. Then one after another
takes a few steps and tells their CPU time, the order rotated, so that what disturbs the machine for longer
than a moment disturbs all alike. The ratio of a set is that of the sums of its turns; beside it stands the
median of its rounds, which single disturbances do not move, but which misses what happens rarely. Processes
differ by chance (where their memory lies), so there are several sets, and bounds are those over sets; the
control is the second bare process over the first. Launcher and agent are left out here, as the agent works on
while others have their turn: ``benchmarks/frameworks.py`` adds their share from whole runs.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from typing import Any

from benchmarks.peers import VARIANTS
from benchmarks.processes import ROOT, longpole, module
from benchmarks.ratios import AGAIN, BASE, null_control, over_bare, summary

HOOKED = "longpole"
TURN_MS = 50.0
Figures = dict[str, Any]
Rounds = list[dict[str, float]]


class Turn:
    """A process that takes its steps when told to."""

    def __init__(self, name: str, arguments: list[str], environment: dict[str, str]) -> None:
        """Start it."""
        command = module("workloads", *arguments)
        if VARIANTS[name].recorded:
            command = [*longpole("record", "--"), *command]
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def hear(self) -> Figures:
        """Wait for what it says next.

        Raises:
            ValueError: It has ended instead.
        """
        found: Figures = json.loads(self._process.stdout.readline())  # type: ignore[union-attr]
        return found

    def take(self) -> float:
        """Let it take its turn; return microseconds of CPU time a step."""
        self._process.stdin.write("\n")  # type: ignore[union-attr]
        self._process.stdin.flush()  # type: ignore[union-attr]
        return float(self.hear()["step_us"])

    def end(self) -> None:
        """Let it leave, and wait until it has."""
        self._process.communicate()


def take_turns(arguments: list[str], environment: dict[str, str], sets: int, seconds: float) -> Figures:
    """Let several sets take turns for so long each; return what they come to.

    Raises:
        ValueError: A process failed.
    """
    found = [_set(arguments, environment, seconds) for _ in range(sets)]
    sums = [{name: sum(turn[name] for turn in rounds) for name in rounds[0]} for rounds in found]
    medians = [statistics.median(over_bare(rounds, HOOKED)) for rounds in found]
    return {
        "hooks": summary(over_bare(sums, HOOKED)),
        "hooks_median_turn": summary(medians),
        "null_control": summary(null_control(sums)),
        "null_control_median_turn": summary([statistics.median(null_control(rounds)) for rounds in found]),
        "turns": [len(rounds) for rounds in found],
    }


def _set(arguments: list[str], environment: dict[str, str], seconds: float) -> Rounds:
    names = [BASE, HOOKED, AGAIN]
    processes = {name: Turn(name, arguments, environment) for name in names}
    rounds: Rounds = []
    try:
        hooked = {name: process.hear()["hooked"] for name, process in processes.items()}
        if hooked != {BASE: False, HOOKED: True, AGAIN: False}:
            raise ValueError(f"hooks are not where they should be: {hooked}")
        end = time.monotonic() + seconds
        while len(rounds) < 2 or time.monotonic() < end:
            turn = len(rounds) % len(names)
            rounds.append({name: processes[name].take() for name in [*names[turn:], *names[:turn]]})
    except BrokenPipeError as error:
        raise ValueError("a process has ended early") from error
    finally:
        for process in processes.values():
            process.end()
    return rounds
