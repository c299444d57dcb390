"""What rules look at, and what they say.

A rule is a plug-in of the entry point ``longpole.rules``: an object with a ``name`` and a method ``look``
that takes a ``Case`` and yields a ``Suspicion`` for each thing it suspects. It does not compute a saving: the
change that it names is replayed, and only what gains enough becomes a finding. It must be silent where the
evidence is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from longpole.analyse.blame import Labels
from longpole.analyse.change import Change, Factors
from longpole.analyse.graph import Whole
from longpole.analyse.launches import Launches
from longpole.analyse.tree import Tree
from longpole.model.columns import Columns
from longpole.model.overview import Overview


@dataclass(frozen=True, eq=False)
class Case:
    """A run as rules see it.

    Attributes:
        overview: What ``longpole show`` says: steps, trials, tasks, processes, GPUs, host.
        tree: Its phases without waits; a phase that began with a wait begins when that has ended.
        labels: What to call each phase.
        on_path_ns: How much of each phase's own time is on the critical path.
        waits_s: How long the critical path waits, by reason: queue, dependency, dispatch, idle.
        samples: Columns ``kind``, ``name``, ``metric``, ``unit``, ``scope``, ``owner``, ``capacity``,
            ``start_ns``, ``end_ns`` and ``value`` of what was measured of hosts and devices, and of the
            cores that processes used.
        opens: Columns ``file``, ``name``, ``bytes``, ``times`` and ``processes`` of files that were read.
        cores: How many cores there are; 0 if that is not known.
        launches: What processes asked of GPUs, by id of the process; none if that was not traced.
    """

    overview: Overview
    tree: Tree
    labels: Labels
    on_path_ns: Whole
    waits_s: dict[str, float]
    samples: Columns
    opens: Columns
    cores: int = 0
    launches: Mapping[int, Launches] = field(default_factory=dict)

    @cached_property
    def makespan_ns(self) -> int:
        """How long the run took."""
        return int(self.tree.end_ns[0] - self.tree.start_ns[0]) if len(self.tree) else 0

    @cached_property
    def took_ns(self) -> Whole:
        """How long each phase took, its parts included."""
        took: Whole = self.tree.end_ns - self.tree.start_ns
        return took

    def path_share(self, places: Whole) -> float:
        """Return which share of the makespan is the own time of these phases on the critical path."""
        return float(self.on_path_ns[places].sum()) / self.makespan_ns if self.makespan_ns else 0.0

    def factors(self, places: Whole, factor: float) -> Factors:
        """Return factors that change the own time of these phases, and of no other."""
        factors = np.ones(len(self.tree))
        factors[places] = factor
        return factors


@dataclass(frozen=True, slots=True, eq=False)
class Suspicion:
    """Something that a rule suspects to cost time.

    Attributes:
        rule: Which rule.
        title: What it is, in a few words.
        phase: Where.
        evidence: What it was seen by, a sentence each, with the figures.
        advice: What to change, and how.
        change: What to change in the replay.
        change_said: The same in words.
        at_least: A change that surely comes true where the other may not; for the lower end of the saving.
        at_most: A change that may come true at best; for the upper end.
        step_s: How long a step would take, where it is about steps.
    """

    rule: str
    title: str
    phase: str
    evidence: tuple[str, ...]
    advice: str
    change: Change
    change_said: str
    at_least: Change | None = None
    at_most: Change | None = None
    step_s: float | None = None


class Rule(Protocol):
    """Looks for one thing that costs time; see the head of this file."""

    @property
    def name(self) -> str:
        """A short word for it, with dashes: ``data-loading``."""

    def look(self, case: Case) -> Iterable[Suspicion]:
        """Yield what it suspects, the worst first; nothing where evidence is missing. Never raises."""
