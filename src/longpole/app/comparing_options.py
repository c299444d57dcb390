"""From the options of ``longpole compare`` to runs and shares."""

from __future__ import annotations

from collections.abc import Sequence

from longpole.errors import UsageError
from longpole.store.selection import RunEntry, runs_folder
from longpole.store.several import find_runs, latest_series, series_runs

_LEAST_CONFIDENCE = 0.5


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
