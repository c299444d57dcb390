"""Peaks of a machine as a run needs them, so that none lies below what the run itself shows there was.

A peak of each node counts all nodes of the machine: what hosts moved is known of all of them together, and
not on how many nodes one task moved it. Of the cores that a file tells and those that the run had the larger
number counts: machines are measured with fewer, too.
"""

from __future__ import annotations

from dataclasses import replace

from longpole.analyse.run_tables import RunTables
from longpole.model.machine import Machine, Peak


def peaks_for(run: RunTables, machine: Machine, *, projected: bool) -> tuple[Machine, tuple[str, ...]]:
    """Return a machine with the peaks that count, and what is to be said of them.

    Args:
        run: The run.
        machine: The machine, by its file or by the run.
        projected: Whether it is another than the run was recorded on.
    """
    system = {name: _of_all(peak, machine.nodes) for name, peak in machine.system.items()}
    whole = replace(machine, system=system)
    if projected or not run.cores or machine.cores == run.cores:
        return whole, ()
    if machine.cores is None:
        return _with_cores(whole, Peak(run.cores, source="counted")), ()
    count = max(machine.cores, run.cores)
    cores = f"{machine.cores:g} core" + ("" if machine.cores == 1 else "s")
    said = f"The machine file says {cores}, the run had {run.cores}: {count:g} count."
    if count == machine.cores:
        return whole, (said,)
    return _with_cores(whole, replace(machine.node["cpu"], nominal=count, source="counted")), (said,)


def _of_all(peak: Peak, nodes: int) -> Peak:
    if nodes == 1 or not peak.per_node:
        return peak
    contended = None if peak.contended is None else peak.contended * nodes
    source = f"{peak.source}, of {nodes:,} nodes"
    return replace(peak, nominal=peak.nominal * nodes, contended=contended, per_node=False, source=source)


def _with_cores(machine: Machine, cores: Peak) -> Machine:
    return replace(machine, node={**machine.node, "cpu": cores})
