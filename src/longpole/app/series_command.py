"""``longpole run --repeat``: from options to a series, its runs, and their comparison."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from shlex import join, quote

import msgspec

from longpole.app.comparing import Asked, compare_runs
from longpole.app.following import runs_option
from longpole.app.running_options import Given, ask
from longpole.app.series import Series, groups_of, next_name, placements_of
from longpole.app.series_making import INTERRUPTED, Making
from longpole.errors import LongpoleError, UsageError
from longpole.model.comparison import Comparison
from longpole.present.words import counted
from longpole.record.rundir import find_runs_folder, plain_name
from longpole.store.several import series_runs


def make_series(given: Given) -> int:
    """Make a series, or what is missing of it, and compare its groups; return the exit code.

    Raises:
        UsageError: An option cannot be used.
    """
    making = ask_series(given)
    code = making.make()
    if code == INTERRUPTED:
        _say(f"to go on: {_typed(given, making.series.name)}")
        return code
    if making.failed:
        of_all = f"{len(making.failed)} of {counted(len(making.series.turns()), 'run')}"
        _say(f"{of_all} failed; {making.kept} is left to look at")
        _say(f"to make what is missing: {_typed(given, making.series.name)}")
    if code <= 1:
        _compare(making, as_json=given.as_json)
    return code


def ask_series(given: Given) -> Making:
    """Return what makes the series that options ask for.

    Raises:
        UsageError: An option cannot be used.
    """
    if given.placement and given.placements:
        raise UsageError("--placement and --placements both say where data goes: give one of them.")
    placements = placements_of(given.placements) if given.placements else (given.placement or "links",)
    request, name = ask(replace(given, placement=placements[0], fresh=True))
    twice = [text for text in given.vary if text.partition("=")[0] in request.chosen]
    if twice:
        raise UsageError(f"--vary {twice[0]} and --set both choose that parameter: give one of them.")
    runs = find_runs_folder(given.runs)
    series = given.series or next_name(name, runs)
    shared = msgspec.structs.replace(
        request, work="", scratch=os.path.abspath(given.scratch) if given.scratch else ""
    )
    base = os.path.abspath(given.work) if given.work else os.path.join(os.path.dirname(runs), "work")
    return Making(
        Series(series, shared, given.repeat or 1, groups_of(placements, given.vary)),
        name,
        runs,
        os.path.join(base, f"series-{plain_name(series)}"),
    )


def _compare(making: Making, *, as_json: bool) -> None:
    """Compare what there is; a series of which nothing can be compared is none the worse."""
    entries = series_runs(making.series.name, making.runs)
    keys = ["placement", *(name for name, _ in making.series.groups[0].varied)]
    differing = keys if len({group.placement for group in making.series.groups}) > 1 else keys[1:]
    try:
        comparison = compare_runs(entries, Asked(by=",".join(differing or keys[:1])))
    except LongpoleError as error:
        _say(str(error))
        return
    if as_json:
        from longpole.app.json_output import write_json

        write_json(comparison)
        return
    from longpole.present.comparison import show_comparison
    from longpole.present.terminal import terminal

    show_comparison(comparison, terminal(), _following(making, differing, comparison))


def _following(making: Making, by: Sequence[str], comparison: Comparison) -> tuple[str, ...]:
    """Return what makes sense to type next."""
    name, group = quote(making.series.name), comparison.deciding.groups[0]
    where = runs_option(os.path.join(making.runs, "run"))
    usual = all(key in ("placement", "variant") for key in by)
    grouped = "" if usual else f" --by {quote(','.join(by))}"
    return (
        f"longpole compare {name}{grouped}{where} --out {name}.svg",
        f"longpole table {name}{where}",
        f"longpole explain {group.runs[-1]}{where}",
    )


def _typed(given: Given, series: str) -> str:
    """Return the command that goes on with a series."""
    values = {
        "--placement": given.placement,
        "--placements": given.placements,
        "--cluster": given.cluster,
        "--out": given.out,
        "--work": given.work,
        "--scratch": given.scratch,
        "--cores": given.cores,
        "--memory": given.memory,
        "--checksums": given.checksums,
        "--container": given.container,
        "--ssh": given.ssh,
        "--name": given.name,
        "--runs": given.runs,
        "--repeat": given.repeat,
        "--series": series,
    }
    words = [word for option, value in values.items() if value for word in (option, str(value))]
    words += [word for pair in given.pairs for word in ("--set", pair)]
    words += [word for text in given.vary for word in ("--vary", text)]
    words += ["--keep-going"] if given.keep_going else []
    return join(["longpole", "run", given.workflow or "", *words])


def _say(text: str) -> None:
    sys.stderr.write(f"longpole: {text}\n")
