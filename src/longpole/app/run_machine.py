"""The machine that a run was recorded on: as the user measured it, else what the run itself tells.

A file is known by the name of the host, and only if it is the user's own: a host may be called like a machine
that we ship a data sheet of.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from pathlib import Path

from longpole.analyse.run_case import Projection, Read, case_on, read_of
from longpole.app.roofline_run import tables_of
from longpole.describe.library import known_machines, shipped_machines
from longpole.describe.machines import read_machine
from longpole.model.case import Case
from longpole.model.machine import Machine, Peak
from longpole.store.run import StoredRun

_HOSTS = "SELECT name, cores FROM hosts ORDER BY id"
_GPUS = """
    SELECT count(*) AS gpus FROM (
        SELECT host, name FROM resources WHERE kind = 'gpu' AND metric = 'busy' GROUP BY ALL
    )
"""
_TRACED = """
    SELECT count(DISTINCT (process, device)) AS gpus FROM phases
    WHERE kind IN ('kernel', 'memcpy', 'memset') AND device IS NOT NULL
"""
ORIGIN = "what the run tells; 'longpole machine measure' adds the rest"


def case_here(run: StoredRun) -> Case:
    """Return a run as a case on the machine that it was recorded on.

    Raises:
        UsageError: The user has a file for it, which is wrong.
    """
    read = read_of(tables_of(run))
    return case_on(read, Projection(machine_of_run(run, read)))


def machine_of_run(run: StoredRun, read: Read | None = None) -> Machine:
    """Return the machine of a run, with as many nodes as the run had.

    Args:
        run: The run.
        read: What its tables tell, where that was read already.

    Raises:
        UsageError: The user has a file for it, which is wrong.
    """
    hosts = list(run.query(_HOSTS).records())
    names = [str(row["name"] or "") for row in hosts]
    cores = max((int(row["cores"] or 0) for row in hosts), default=0)
    used = _used(read or read_of(tables_of(run))) if not cores else (1, 0.0)
    nodes = len(hosts) or used[0]
    measured = _own_machines()
    known = next((measured[name] for name in (*names, *map(_short, names)) if name in measured), None)
    if known is not None:
        return replace(read_machine(known), nodes=nodes)
    node = {"cpu": Peak(cores, source="counted")} if cores else {}
    if not cores and used[1]:
        node["cpu"] = Peak(used[1], source="as many cores as were used at once")
    gpus = _gpus(run) / nodes
    if gpus:
        node["gpu"] = Peak(gpus, source="counted")
    return Machine(names[0] if names and names[0] else "unknown", nodes, node, origin=ORIGIN)


def _short(name: str) -> str:
    return name.partition(".")[0]


def _own_machines() -> dict[str, Path]:
    ours = set(shipped_machines().values())
    return {name: path for name, path in known_machines().items() if path not in ours}


def _used(read: Read) -> tuple[int, float]:
    """Return how many nodes, and cores of each, tasks used at once, for where nobody tells what there was."""
    case = case_on(read, Projection(Machine("unknown", 1)))
    cores = max((kind.cores or 0.0 for kind in case.kinds), default=0.0)
    nodes = max(kind.nodes for kind in case.kinds)
    return (ceil(case.parallel * nodes), cores) if nodes > 1 else (1, case.parallel * cores)


def _gpus(run: StoredRun) -> float:
    found = [run.query(query)["gpus"][0] for query in (_GPUS, _TRACED)]
    return float(max(int(count or 0) for count in found))
