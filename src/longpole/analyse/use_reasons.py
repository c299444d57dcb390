"""Why a figure of a table is not known, and what must be said of those that are, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longpole.analyse.run_units import Unit
from longpole.analyse.sentences import count_of
from longpole.model.kind_use import KindUse

_CALLED = {
    "time_s": "the time",
    "cpu_s": "CPU time",
    "read_bytes": "bytes read",
    "written_bytes": "bytes written",
    "peak_memory_bytes": "memory",
}

_TOO_SHORT = "it was too short to be seen"


@dataclass(frozen=True, slots=True)
class Teller:
    """Who told of a run.

    Attributes:
        names: Other systems that told of it.
        recorded: Whether we have recorded anything of it.
        workflow: Whether it is a run of a workflow of ours.
    """

    names: tuple[str, ...] = ()
    recorded: bool = True
    workflow: bool = False

    @property
    def only_told(self) -> str:
        """Who told all there is, if nothing was recorded by us; else empty."""
        return "" if self.recorded else " and ".join(self.names)

    def why(self, figure: str, unit: Unit) -> str:
        """Return why a figure of a kind of job is not known."""
        if self.only_told:
            return f"{self.only_told} told nothing of it"
        if unit is Unit.TASK and self.workflow and figure != "time_s":
            return "what a function used is not told apart from what its worker did"
        return _TOO_SHORT

    def why_whole(self, figure: str) -> str:
        """Return why a figure of a whole run is not known."""
        if not self.only_told:
            return _TOO_SHORT
        alone = "memory of tasks does not tell that of all together"
        return alone if figure == "peak_memory_bytes" else f"{self.only_told} told nothing of it"

    def why_no_gpu(self, reason: str) -> str:
        """Return why nothing is known of GPUs, given why we have seen nothing of them."""
        return f"{self.only_told} told nothing of it" if self.only_told else reason


def use_remarks(unit: Unit, kinds: Sequence[KindUse], *, anybodys: bool) -> tuple[str, ...]:
    """Return what must be said of the use of kinds."""
    return tuple(_remarks(unit, kinds, anybodys=anybodys))


def _remarks(unit: Unit, kinds: Sequence[KindUse], *, anybodys: bool) -> Iterator[str]:
    again = sum(kind.attempts - kind.jobs for kind in kinds) if unit is Unit.TASK else 0
    if again:
        yield f"Attempts beyond the first count as well: {again:,}."
    if unit is Unit.PROGRAM:
        yield (
            "A program counts with all that it started; kinds that took less than a hundredth are in the "
            "whole run only."
        )
    if unit is Unit.MARK:
        yield "What the program did outside of its marks is in the whole run only."
    for kind in kinds:
        yield from _partial(kind)
    if anybodys:
        yield "GPU figures are of whole devices: the driver did not tell whose use it was."


def _partial(kind: KindUse) -> Iterator[str]:
    """Yield which figures of a kind are known of some executions only."""
    for unknown in sorted(set(kind.partial.values())):
        names = [_CALLED[figure] for figure, count in kind.partial.items() if count == unknown]
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        yield (
            f"{kind.name}: {listed} of {unknown:,} of {count_of(kind.attempts, 'execution')} "
            f"{'is' if len(names) == 1 else 'are'} not known: it is more than is said."
        )
