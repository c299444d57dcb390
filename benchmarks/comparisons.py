"""How often ``longpole compare`` is right: series are simulated, and compared as real ones are.

Noise has a heavy tail (t of 4 degrees of freedom, as a logarithm), runs far off (1 in 20, slower by 30 % on
average) and a slow drift (a random walk). Beside our test stand those that others use: a rank-sum test that
knows no drift, Welch's t-test, a paired t-test of rounds; and, for intervals, the bootstrap of the ratio of
means. Prints Markdown.

    python -m benchmarks.comparisons [--trials 1000] [--only false|found|sizes|coverage]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from longpole.analyse.comparison import compare
from longpole.model.comparison import ComparedRun, Difference, Metric
from tests.analyse.noise import Noise, series

LEVEL = 0.02
SLOWER = 1.1
NOISES = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.10)
DRIFTS = (0.0, 0.03, 0.10)
Test = Callable[[Sequence[ComparedRun]], bool]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--only", choices=PARTS, action="append", help="one of the tables (default: all)")
    asked = parser.parse_args(arguments)
    for name in asked.only or PARTS:
        PARTS[name](asked.trials)
    return 0


def print_false(trials: int) -> None:
    print(f"\nEqual groups that were said to differ, in percent; {100 * LEVEL:g} are allowed.\n")
    names = ("ours", "rank sum", "Welch's t", "paired t")
    print(f"| rounds | noise | drift | {' | '.join(names)} |\n|---|---|---|{'---|' * len(names)}")
    for rounds, noise, drift in (
        (5, 0.04, 0.02),
        (10, 0.02, 0.0),
        (10, 0.04, 0.0),
        (10, 0.04, 0.02),
        (10, 0.04, 0.10),
        (20, 0.04, 0.0),
        (20, 0.04, 0.10),
        (40, 0.04, 0.0),
    ):
        shares = found_by(list(TESTS.values()), Noise(noise, drift), rounds, 1.0, trials)
        print(f"| {rounds} | {percent(noise)} | {percent(drift)} | {row(shares, 1)} |", flush=True)


def print_found(trials: int) -> None:
    print(f"\nA slow-down of {percent(SLOWER - 1)} that was found, in percent; 10 rounds of two groups.\n")
    names = [f"{name}, drift {percent(drift)}" for drift in DRIFTS for name in ("ours", "Welch's t")]
    print(f"| noise | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    for noise in NOISES:
        tests = (TESTS["ours"], TESTS["welch"])
        shares = [
            share for drift in DRIFTS for share in found_by(tests, Noise(noise, drift), 10, SLOWER, trials)
        ]
        print(f"| {percent(noise)} | {row(shares, 0)} |", flush=True)


def print_sizes(trials: int) -> None:
    print("\nThe same by the number of rounds, for a drift of 2 %: a slow-down of 5 %, and of 10 %.\n")
    sizes = (5, 6, 8, 10, 15, 20, 40)
    print(f"| slow-down, noise | {' | '.join(map(str, sizes))} |\n|---|{'---|' * len(sizes)}")
    for ratio, noise in ((1.05, 0.02), (1.05, 0.04), (1.1, 0.02), (1.1, 0.04), (1.1, 0.06), (1.1, 0.10)):
        shares = [found_by([TESTS["ours"]], Noise(noise), size, ratio, trials)[0] for size in sizes]
        print(f"| {percent(ratio - 1)}, {percent(noise)} | {row(shares, 0)} |", flush=True)


def print_coverage(trials: int) -> None:
    print("\nIntervals that held the true ratio, in percent; 98 are promised.\n")
    print("| rounds | noise | ours | bootstrap of the ratio of means |\n|---|---|---|---|")
    for rounds, noise in ((5, 0.04), (10, 0.04), (20, 0.04)):
        drawn = np.random.default_rng(3)
        held = np.zeros(2)
        for _ in range(trials):
            runs = series(Noise(noise), drawn, rounds, (1.0, SLOWER))
            one = ours(runs)
            assert one.low is not None
            assert one.high is not None
            low, high = bootstrap(runs, drawn)
            held += [one.low <= SLOWER <= one.high, low <= SLOWER <= high]
        print(f"| {rounds} | {percent(noise)} | {row(held / trials, 1)} |", flush=True)


def found_by(tests: Sequence[Test], noise: Noise, rounds: int, ratio: float, trials: int) -> np.ndarray:
    """Return in which share of series each test says that the second group differs."""
    drawn = np.random.default_rng(1)
    found = np.zeros(len(tests))
    for _ in range(trials):
        runs = series(noise, drawn, rounds, (1.0, ratio))
        found += [test(runs) for test in tests]
    return found / trials


def ours(runs: Sequence[ComparedRun]) -> Difference:
    return compare(runs, ("a", "b"), [Metric.END_TO_END]).metrics[0].differences[0]


def logarithms(runs: Sequence[ComparedRun], group: str) -> np.ndarray:
    return np.log([run.seconds[Metric.END_TO_END] for run in runs if run.group == group])


def bootstrap(runs: Sequence[ComparedRun], drawn: np.random.Generator) -> tuple[float, float]:
    one, other = (np.exp(logarithms(runs, group)) for group in "ab")
    means = [drawn.choice(group, (1000, len(group))).mean(axis=1) for group in (one, other)]
    low, high = np.quantile(means[1] / means[0], [LEVEL / 2, 1 - LEVEL / 2])
    return float(low), float(high)


def by(test: Callable[[np.ndarray, np.ndarray], float]) -> Test:
    return lambda runs: bool(test(logarithms(runs, "a"), logarithms(runs, "b")) <= LEVEL)


def percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def row(shares: Sequence[float] | np.ndarray, digits: int) -> str:
    return " | ".join(f"{100 * share:.{digits}f}" for share in shares)


TESTS: dict[str, Test] = {
    "ours": lambda runs: ours(runs).shown,
    "rank sum": by(lambda one, other: stats.mannwhitneyu(one, other, method="exact").pvalue),
    "welch": by(lambda one, other: stats.ttest_ind(one, other, equal_var=False).pvalue),
    "paired": by(lambda one, other: stats.ttest_rel(one, other).pvalue),
}

PARTS: dict[str, Callable[[int], None]] = {
    "false": print_false,
    "found": print_found,
    "sizes": print_sizes,
    "coverage": print_coverage,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
