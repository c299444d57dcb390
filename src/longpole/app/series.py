"""A series: runs of one workflow that are made to be compared, round by round, groups in turns.

In every round each group has its turn, in an order that is shuffled by a seed: the name of the series and
the round. So whatever drifts meets all groups alike, no group is always first, and who goes on with a series
finds the same order.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from longpole.app.compared_runs import COMMON
from longpole.errors import DamagedRunError, NewerLogError, UsageError
from longpole.model.manifest import State
from longpole.model.plan import Placement
from longpole.run.request import Request, as_request
from longpole.store.selection import RunEntry, list_runs
from longpole.store.several import series_runs
from longpole.store.workflow import read_driver_logs

ALL = "all"
# Those of the paper; ``links`` is ours, and is not among them.
_ALL = (Placement.BASELINE, Placement.CONTAINER_INSTALLED, Placement.SHARED_FS, Placement.CLUSTERING)

# What is the same for all runs of a series, and how a person says it.
_FIXED = {
    "workflow": "workflow",
    "name": "--name",
    "chosen": "--set",
    "cluster": "--cluster",
    "cores": "--cores",
    "memory_bytes": "--memory",
    "checksums": "--checksums",
    "container": "--container",
    "ssh": "--ssh",
}


@dataclass(frozen=True, slots=True)
class SeriesGroup:
    """What runs of a group have in common: a placement, and values of parameters that are varied."""

    placement: str
    varied: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """What the group is called."""
        return ", ".join([self.placement, *(f"{name}={value}" for name, value in self.varied)])


@dataclass(frozen=True, slots=True)
class Turn:
    """One run that a series needs."""

    round_number: int
    group: SeriesGroup


@dataclass(frozen=True, slots=True)
class Series:
    """A series.

    Attributes:
        name: What it is called.
        request: What all its runs are asked for.
        rounds: How many there are.
        groups: The groups.
    """

    name: str
    request: Request
    rounds: int
    groups: tuple[SeriesGroup, ...]

    def turns(self) -> tuple[Turn, ...]:
        """Return all runs, in the order in which they are made."""
        return tuple(
            Turn(number, group) for number in range(1, self.rounds + 1) for group in self._order(number)
        )

    def request_of(self, group: SeriesGroup) -> Request:
        """Return what a run of a group is asked for."""
        chosen = {**self.request.chosen, **dict(group.varied)}
        return msgspec.structs.replace(self.request, placement=group.placement, chosen=chosen)

    def _order(self, number: int) -> list[SeriesGroup]:
        groups = list(self.groups)
        random.Random(f"{self.name} {number}").shuffle(groups)
        return groups


def groups_of(placements: Sequence[str], varied: Sequence[str]) -> tuple[SeriesGroup, ...]:
    """Return the groups that options ask for: each placement with each choice of values.

    Raises:
        UsageError: An option cannot be used.

    Examples:
        >>> [group.label for group in groups_of(["baseline"], ["variant=published,tuned"])]
        ['baseline, variant=published', 'baseline, variant=tuned']
    """
    choices = [_choices(text) for text in varied]
    names = [choice[0][0] for choice in choices]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--vary {name} is given twice. Give all its values at once: --vary {name}=a,b.")
        if name in COMMON:
            raise UsageError(
                f"--vary {name}: runs are told apart by their own {name}, not by a parameter of that name. "
                "Call the parameter otherwise in the workflow."
            )
    return tuple(
        SeriesGroup(placement, tuple(values))
        for placement in placements
        for values in itertools.product(*choices)
    )


def placements_of(text: str) -> tuple[str, ...]:
    """Return the placements that a person meant.

    Examples:
        >>> placements_of("clustering,links"), len(placements_of("all"))
        (('clustering', 'links'), 4)
    """
    words = [word.strip() for word in text.split(",")]
    known = [str(placement) for placement in Placement]
    found: list[str] = []
    for word in words:
        if word != ALL and word not in known:
            raise UsageError(f"There is no placement '{word}'. There are {', '.join(known)}, and 'all'.")
        found += [str(each) for each in _ALL] if word == ALL else [word]
    return tuple(dict.fromkeys(found))


def next_name(workflow: str, folder: str) -> str:
    """Return a name for a new series of a workflow, which no series of these runs has."""
    taken = {entry.manifest.series for entry in list_runs(folder)}
    return next(name for number in itertools.count(1) if (name := f"{workflow}-{number}") not in taken)


def turns_made(series: Series, folder: str) -> dict[Turn, RunEntry]:
    """Return the runs of a series that are there and ended well.

    One that was resumed is none of them: there is a break in its time, and it cannot be compared.

    Raises:
        UsageError: A run of that series was asked for otherwise.
        NewerLogError: A later version of Longpole wrote one.
    """
    found: dict[Turn, RunEntry] = {}
    for entry in series_runs(series.name, folder):
        requests = _requests(entry)
        if not requests:
            continue  # it was broken off before its driver wrote anything, or nobody can read what that wrote
        asked = as_request(requests[0])
        group = _group(asked, series)
        _check(asked, series, group, entry)
        if entry.state is State.FINISHED and entry.manifest.exit_code == 0 and len(requests) == 1:
            found[Turn(entry.manifest.series_round, group)] = entry
    return found


def _choices(text: str) -> list[tuple[str, str]]:
    name, equals, values = text.partition("=")
    found = [value.strip() for value in values.split(",")]
    if not name or not equals or len(set(found)) < 2 or "" in found:
        raise UsageError(f"--vary takes NAME=VALUE,VALUE with at least two values, not '{text}'.")
    return [(name, value) for value in dict.fromkeys(found)]


def _requests(entry: RunEntry) -> list[str]:
    """Return what each driver of a run was asked for, as far as that can be read."""
    try:
        sessions = read_driver_logs(entry.path).sessions
    except NewerLogError:
        raise
    except DamagedRunError:
        return []
    return [session.driver.request for session in sessions if session.driver.request]


def _group(asked: Request, series: Series) -> SeriesGroup:
    names = [name for name, _ in series.groups[0].varied]
    return SeriesGroup(
        asked.placement, tuple((name, asked.chosen[name]) for name in names if name in asked.chosen)
    )


def _check(asked: Request, series: Series, group: SeriesGroup, entry: RunEntry) -> None:
    """Refuse to go on with a series that was asked for otherwise; placements may be added."""
    wanted = series.request_of(group)
    for field, option in _FIXED.items():
        before, now = getattr(asked, field), getattr(wanted, field)
        if before != now:
            raise UsageError(
                f"Series '{series.name}' was begun with another {option}: run {entry.manifest.id} "
                f"had {_shown(before)}, and now it is {_shown(now)}. Say it as before, or choose another "
                "--series."
            )


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name}={text}" for name, text in value.items()) or "none"
    return f"'{value}'" if value else "none"
