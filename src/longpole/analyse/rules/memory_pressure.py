"""Memory pressure: the run waited for memory, as the host had none to give.

Method: the kernel's own account of stalls (pressure, ``memory some``: the share of time in which some task
waited for memory). On a kernel without it: time in which cores waited for I/O while the host's memory was at
95 % of its capacity or more, or swap use grew. Full memory without stalls costs nothing, and is not said. The
account is of the host: others' stalls count as ours, and if many of ours ran, not each of them stalled; so
half of it is the least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.figures import percent, seconds, size
from longpole.analyse.rules.lost import less, lost_shares, on_path_ns, worst_phase
from longpole.analyse.rules.measured import IO_WAIT, Curve, Numbers, edges_of, pressure, rows, summed

NEAR_CAPACITY = 0.95
LEAST_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class MemoryPressure:
    """The rule."""

    name: str = "memory-pressure"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield one suspicion if the path was stalled for 2 % of the makespan."""
        measured = pressure(case, "memory some")
        stalled = measured or _full_and_waiting(case)
        if stalled is None or not case.makespan_ns:
            return
        shares = lost_shares(case, stalled)
        if on_path_ns(case, shares) >= LEAST_SHARE * case.makespan_ns:
            yield _suspicion(
                self.name, case, shares, _seen_by(stalled, case, pressure_known=measured is not None)
            )


RULE = MemoryPressure()


def _suspicion(rule: str, case: Case, shares: Numbers, seen: str) -> Suspicion:
    stalled_ns = on_path_ns(case, shares)
    return Suspicion(
        rule=rule,
        title="Memory ran short",
        phase=worst_phase(case, shares),
        evidence=(seen, *_memory(case)),
        advice=(
            "Use less memory at once, or take a host with more: start fewer processes side by side, read"
            " data in"
            " pieces instead of as a whole, lower batch sizes and the prefetching of loaders, delete what is"
            " not"
            " needed any more, and do not run other large programs on the host."
            f" About {seconds(stalled_ns)} of the critical path is at stake."
        ),
        change=less(shares),
        change_said=f"no stalls for memory: {seconds(stalled_ns)} less on the critical path",
        at_least=less(shares, 0.5),
    )


def _seen_by(stalled: Curve, case: Case, *, pressure_known: bool) -> str:
    share = stalled.mean(int(case.tree.start_ns[0]), int(case.tree.end_ns[0]))
    if pressure_known:
        return f"Some task waited for memory in {percent(share)} of the time, by the kernel's account."
    return f"Cores waited for I/O while memory was full or swap use grew: {percent(share)} of the time."


def _memory(case: Case) -> Iterator[str]:
    """Yield what is known of the host's memory."""
    used, swap = rows(case, "memory", "used"), rows(case, "memory", "swap used")
    if len(used) and used.capacity:
        full = float(np.nanmax(used.values / used.capacities))
        yield f"Up to {percent(full)} of the host's {size(used.capacity)} of memory was in use."
    if len(swap) and swap.values.max() > swap.values.min():
        yield f"Swap use went from {size(swap.values.min())} to {size(swap.values.max())}."


def _full_and_waiting(case: Case) -> Curve | None:
    """Return the share of a core that waited for I/O while memory was short; nothing if it is not known."""
    waiting, used = rows(case, "cpu", IO_WAIT), rows(case, "memory", "used")
    if not len(waiting) or not len(used) or not used.capacity:
        return None
    edges = edges_of(waiting)
    curve = summed(waiting, edges)
    full = summed(used, edges).values >= NEAR_CAPACITY * used.capacity
    swap = summed(rows(case, "memory", "swap used"), edges).values
    grows = np.diff(swap, prepend=swap[:1]) > 0
    return replace(curve, values=np.where(full | grows, np.minimum(curve.values, 1.0), 0.0))
