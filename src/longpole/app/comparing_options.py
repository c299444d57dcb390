"""From what a user says of a comparison to runs and shares: on the command line, or in Python."""

from __future__ import annotations

from collections.abc import Sequence

from longpole.errors import UsageError
from longpole.model.comparison import Comparison, Metric
from longpole.store.selection import RunEntry, runs_folder
from longpole.store.several import find_runs, latest_series, series_runs

_LEAST_CONFIDENCE = 0.5


def compare(
    *names: str, by: str = "", baseline: str = "", metric: str = Metric.END_TO_END, runs: str = ""
) -> Comparison:
    """Return how groups of runs differ, as ``longpole compare --json`` has it.

    Args:
        names: Which runs: ids, ``latest:NAME``, names of runs or of a series, or patterns of names; your last
            series if none are given.
        by: What makes the groups: placement, name, series, or a parameter; '' for what differs.
        baseline: The group that others are compared with; '' for the first.
        metric: The time that decides: end_to_end, compute, stage_in, stage_out or cpu.
        runs: The folder of runs; '' for the usual one.

    Raises:
        RunNotFoundError: There is no such run.
        UsageError: There is no such baseline, or nothing to group by.
        NothingToCompareError: None of the runs ended well.
    """
    from longpole.app.comparing import Asked, compare_runs

    if metric not in list(Metric):
        raise UsageError(f"There is no time '{metric}'. There are {', '.join(Metric)}.")
    asked = Asked(by=by, baseline=baseline, metric=Metric(metric))
    return compare_runs(chosen_runs(names, runs), asked)


def chosen_runs(wanted: Sequence[str], runs: str = "") -> tuple[RunEntry, ...]:
    """Return the runs that are meant; those of the last series if nothing is said.

    Raises:
        UsageError: Nothing is said, and there is no series.
        RunNotFoundError: A word means no run, or more than one.
    """
    folder = runs_folder(runs)
    if wanted:
        return find_runs(wanted, folder)
    series = latest_series(folder)
    if not series:
        raise UsageError(
            "Which runs? There is no series to compare. Give names or ids of runs, or make a series: "
            "longpole run WORKFLOW --repeat 10 --placements all"
        )
    return tuple(series_runs(series, folder))


def share_of(text: str, option: str) -> float:
    """Return the share that a person meant.

    Examples:
        >>> share_of("5%", "--gate"), share_of("0.05", "--gate")
        (0.05, 0.05)
    """
    number = text.strip().removesuffix("%").strip()
    try:
        share = float(number) / (100 if "%" in text else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise UsageError(f"{option} takes a share, as 5% or 0.05, not '{text}'.")
    return share


def confidence_of(text: str) -> float:
    """Return how sure a person wants to be.

    Examples:
        >>> confidence_of("99%")
        0.99
    """
    share = share_of(text, "--confidence")
    if share < _LEAST_CONFIDENCE:
        raise UsageError(f"--confidence takes at least 50%, not '{text}'.")
    return share
