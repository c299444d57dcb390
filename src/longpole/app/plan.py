"""Planning a workflow: from what a user types to a plan, and what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from longpole.errors import UsageError
from longpole.model.plan import Clustering, Grouping, Placement, Plan
from longpole.units import parse_size

_COUNTED = ("tasks", "jobs", "bytes")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user asks of a plan.

    Attributes:
        workflow: A file, or a folder that holds one.
        placement: Where data lies.
        cluster: Which tasks are one job, as it was typed; empty: as it goes with the placement.
        chosen: Parameters, as they were typed.
    """

    workflow: str
    placement: Placement = Placement.LINKS
    cluster: str = ""
    chosen: Mapping[str, str] = field(default_factory=dict)


def plan_for(asked: Asked) -> Plan:
    """Return the plan of a workflow.

    Raises:
        LongpoleError: The workflow, or what was asked, cannot be used.
    """
    from longpole.describe.load import load_workflow
    from longpole.plan.planning import make_plan

    clustering = clustering_of(asked.cluster) if asked.cluster else None
    return make_plan(load_workflow(asked.workflow, asked.chosen), asked.placement, clustering)


def clustering_of(text: str) -> Clustering:
    """Return the clustering that a person meant.

    Examples:
        >>> str(clustering_of("tasks=8")), clustering_of("bytes=1GB").size_bytes, str(clustering_of("whole"))
        ('tasks=8', 1000000000, 'whole')
    """
    what, equals, number = text.partition("=")
    plain = {str(each): each for each in Grouping if each is not Grouping.HORIZONTAL}
    if not equals and what in plain:
        return Clustering(plain[what])
    if not equals or what not in _COUNTED:
        words = ", ".join([*plain, *(f"{each}=N" for each in _COUNTED)])
        raise UsageError(f"'{text}' is no way to put tasks together. --cluster takes {words}.")
    if what == "bytes":
        return Clustering(Grouping.HORIZONTAL, size_bytes=parse_size(number))
    if not (number.isascii() and number.isdigit()):
        raise UsageError(f"'{text}' needs a whole number, as in --cluster {what}=8.")
    return Clustering(Grouping.HORIZONTAL, **{what: int(number)})


def chosen_of(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return the parameters in ``name=value`` texts; the last of a name counts.

    Examples:
        >>> chosen_of(("scale=paper", "where=a=b"))
        {'scale': 'paper', 'where': 'a=b'}
    """
    for pair in pairs:
        if not pair.partition("=")[0] or "=" not in pair:
            raise UsageError(f"--set takes NAME=VALUE, not '{pair}'.")
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs)}


def following(asked: Asked) -> tuple[str, ...]:
    """Return what could be typed next: the run, and the same under another placement."""
    other = Placement.CLUSTERING if asked.placement is not Placement.CLUSTERING else Placement.BASELINE
    run = _typed("run", asked, asked.placement)
    return run, _typed("plan", asked, other)


def _typed(command: str, asked: Asked, placement: Placement) -> str:
    words = ["longpole", command, asked.workflow]
    words += [word for name, value in asked.chosen.items() for word in ("--set", f"{name}={value}")]
    words += ["--placement", placement] if placement is not Placement.LINKS else []
    words += ["--cluster", asked.cluster] if asked.cluster and placement is asked.placement else []
    return shlex.join(words)
