"""A machine as a roofline sees it: how many nodes, and what each of them and all together can do at best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import floor

from longpole.errors import LongpoleError
from longpole.model.resources import NODE, SYSTEM

# A third of a node three times is a node, whatever floating point says.
_ROUNDING = 1e-9
# What is less per second than this, in any unit, is nothing.
_LEAST = 1e-100


class MachineError(LongpoleError):
    """A machine that cannot be."""


@dataclass(frozen=True, slots=True)
class Peak:
    """The most a resource gives, in the base unit of its dimension.

    Attributes:
        nominal: On a good day.
        contended: When others use it, too; None where it does not matter or is not known.
        spread: By which share of itself the nominal value may be off; 0 for one from a data sheet.
        per_node: Of a shared resource: each node of a task brings as much.
        source: Where it comes from: ``nominal``, ``measured`` or whatever its file says.
    """

    nominal: float
    contended: float | None = None
    spread: float = 0.0
    per_node: bool = False
    source: str = "nominal"

    def __post_init__(self) -> None:
        """Check that there is something to give."""
        if not _LEAST < self.nominal < float("inf"):
            raise MachineError(f"A peak must be above zero, not {self.nominal:g}.")
        if self.contended is not None and not 0 < self.contended <= self.nominal:
            raise MachineError(
                f"A contended peak must be above zero and at most the nominal {self.nominal:g}, "
                f"not {self.contended:g}."
            )
        if not 0 <= self.spread < 1:
            raise MachineError(f"A spread must be between 0 and 100 %, not {self.spread:.0%}.")


@dataclass(frozen=True, slots=True)
class Overhead:
    """Seconds that a start costs on this machine, at least.

    Attributes:
        seconds: At best.
        spread: By which share of itself it may be off.
        source: Where it comes from.
    """

    seconds: float
    spread: float = 0.0
    source: str = "nominal"

    def __post_init__(self) -> None:
        """Check that time goes forward."""
        if not 0 <= self.seconds < float("inf"):
            raise MachineError(f"An overhead cannot be {self.seconds:g} s.")


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine.

    Attributes:
        name: What people call it.
        nodes: How many nodes a workflow can have.
        node: Peaks of one node, by the name of the resource.
        system: Peaks that all nodes share.
        overheads: What starting costs: ``interpreter`` (Python), ``process``, ``import NAME``.
        origin: The file or command it came from.
        about: Anything else worth knowing, one sentence.
    """

    name: str
    nodes: int
    node: Mapping[str, Peak] = field(default_factory=dict)
    system: Mapping[str, Peak] = field(default_factory=dict)
    overheads: Mapping[str, Overhead] = field(default_factory=dict)
    origin: str = ""
    about: str = ""

    def __post_init__(self) -> None:
        """Check that it has nodes, and that we know its resources."""
        if self.nodes < 1:
            raise MachineError(f"The machine '{self.name}' must have at least one node, not {self.nodes}.")
        for known, given in ((NODE, self.node), (SYSTEM, self.system)):
            strange = [name for name in given if name not in known]
            if strange:
                raise MachineError(f"There is no resource '{strange[0]}'; there are {', '.join(known)}.")

    @property
    def cores(self) -> float | None:
        """Cores of one node, where known."""
        return self.node["cpu"].nominal if "cpu" in self.node else None

    def fitting(self, nodes: float) -> int:
        """Return how many tasks of so many nodes fit at once; smaller than a node, whole ones into each.

        Examples:
            >>> Machine("m", 1792).fitting(64), Machine("m", 2).fitting(1 / 3), Machine("m", 3).fitting(2)
            (28, 6, 1)
        """
        if nodes < 1:
            return self.nodes * floor(1 / nodes + _ROUNDING)
        return floor(self.nodes / nodes + _ROUNDING)

    def peak(self, resource: str) -> Peak | None:
        """Return the peak of a resource, None if the machine has none."""
        return self.node.get(resource) or self.system.get(resource)
