"""What ``benchmarks/engine.py`` prints: a table for each case, and for each gate whether it holds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.engine_growth import Rows, exponent, kilobytes_per_task, last_exponent, per_task_us
from benchmarks.engine_peers import Measured
from benchmarks.ratios import AGAIN, null_control, over_bare, summary

OURS = "longpole"
DRIVER_MB, FUNCTIONS, LINEAR = 100.0, 8000.0, 1.1


@dataclass(frozen=True, slots=True)
class Gate:
    """A promise, what was measured of it, and whether that keeps it."""

    words: str
    found: str
    holds: bool

    def line(self) -> str:
        """Return how it reads."""
        return f"{'holds' if self.holds else 'falls short':11}  {self.words}: {self.found}"


Rounds = Sequence[Mapping[str, Measured]]


def rates(rounds: Rounds) -> list[dict[str, float]]:
    """Return tasks a second for each who ran, round by round."""
    return [{name: measured.rate for name, measured in found.items()} for found in rounds]


def case_table(words: Mapping[str, str], rounds: Rounds) -> list[str]:
    """Return the lines of a case: medians of all rounds; a share is that of each round, then their median."""
    lines = [f"  {'':44} {'tasks':>8} {'tasks/s':>9} {'of bare':>8} {'CPU ms':>7} {'MB':>6}"]
    found = rates(rounds)
    for name, text in words.items():
        some = [one[name] for one in rounds if name in one]
        if some:
            shares = null_control(found) if name == AGAIN else over_bare(found, name)
            lines.append(_row(text, some, _median(shares)))
    spread = summary(over_bare(found, OURS))
    lines.append(
        f"  {OURS} over bare in {spread['rounds']:.0f} rounds: mean {spread['mean']:.3f}, 95 % of it between"
        f" {spread['lower95']:.3f} and {spread['upper95']:.3f}"
    )
    return lines


def share_gate(words: str, rounds: Rounds, at_least: float) -> Gate:
    """Return whether ours reaches a share of the bare rate."""
    share = _median(over_bare(rates(rounds), OURS))
    return Gate(f"{words}, at least {at_least:.0%}", f"{share:.1%}", share >= at_least)


def rate_gate(rounds: Rounds) -> Gate:
    """Return whether functions are called often enough."""
    rate = _median([found[OURS].rate for found in rounds])
    return Gate(f"functions, at least {FUNCTIONS:,.0f}/s", f"{rate:,.0f}/s", rate >= FUNCTIONS)


def memory_gate(driver_mb: Sequence[float]) -> Gate:
    """Return whether the driver has stayed small."""
    most = math.nan if any(map(math.isnan, driver_mb)) else max(driver_mb, default=math.nan)
    return Gate(f"memory of the driver, under {DRIVER_MB:.0f} MB", f"{most:.0f} MB", most < DRIVER_MB)


def growth_table(found: Mapping[str, Rows]) -> list[str]:
    """Return the lines about planning and bookkeeping."""
    lines = ["planning and bookkeeping: CPU time of the planner, and of drivers, for each task"]
    for name, rows in found.items():
        each = per_task_us(rows)
        told = ", ".join(f"{size:,}: {value:.0f} us" for size, value in each.items())
        memory = f"{kilobytes_per_task(rows):.2f} kB a task, {rows[-1]['mb']:.0f} MB at most"
        lines.append(
            f"  {name:10} {told}; n^{exponent(each):.2f}, last n^{last_exponent(each):.2f}; {memory}"
        )
    return lines


def growth_gates(found: Mapping[str, Rows]) -> list[Gate]:
    """Return whether time grows with the number of tasks, and no faster."""
    return [_linear(name, per_task_us(rows)) for name, rows in found.items()]


def _linear(name: str, each_us: Mapping[float, float]) -> Gate:
    powers = exponent(each_us), last_exponent(each_us)
    words = f"linear, {name}: exponents of the fit and of the last step at most {LINEAR}"
    return Gate(words, " and ".join(map(_told, powers)), all(power <= LINEAR for power in powers))


def _row(text: str, some: Sequence[Measured], share: float) -> str:
    rate = _median([one.rate for one in some])
    cpu_ms = _median([one.cpu_s / one.tasks * 1e3 for one in some])
    peak = _median([one.peak_mb for one in some])
    cells = [_cell(rate, 9, ",.0f"), _cell(share, 8, ".3f"), _cell(cpu_ms, 7, ".2f"), _cell(peak, 6, ".0f")]
    return f"  {text:44} {some[0].tasks:>8,} {' '.join(cells)}"


def _told(power: float) -> str:
    return "too short to tell" if math.isnan(power) else f"{power:.2f}"


def _cell(value: float, width: int, form: str) -> str:
    return " " * width if math.isnan(value) else f"{value:{width}{form}}"


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else math.nan
