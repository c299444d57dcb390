"""What the tables of a run say of measured resources: all of hosts and devices, some of processes.

Samples of processes can be many millions: beyond a bound, those of one process that lie close together are
asked for as one, with the same mass.
"""

from __future__ import annotations

from longpole.model.columns import Columns
from longpole.model.execution import Scope
from longpole.store.run import StoredRun

MOST_SAMPLES = 200_000
_COLUMNS = "kind, name, metric, unit, scope, owner, capacity, start_ns, end_ns, value"
_OF_PROCESS = f"scope = '{Scope.PROCESS}' AND kind IN ({{kinds}}) AND end_ns > start_ns"
_JOINED = "samples JOIN resources ON samples.resource = resources.id"
_EXTENT = f"""
    SELECT count(*) AS rows, count(DISTINCT (owner, resource)) AS curves,
        coalesce(max(end_ns) - min(start_ns), 0)::BIGINT AS length_ns
    FROM {_JOINED} WHERE {_OF_PROCESS}
"""
_ALL = f"SELECT {_COLUMNS} FROM {_JOINED} WHERE {_OF_PROCESS}"
_FEWER = f"""
    SELECT kind, name, metric, unit, scope, owner, any_value(capacity) AS capacity,
        min(start_ns)::BIGINT AS start_ns, max(end_ns)::BIGINT AS end_ns,
        sum(value * (end_ns - start_ns)) / (max(end_ns) - min(start_ns)) AS value
    FROM {_JOINED} WHERE {_OF_PROCESS}
    GROUP BY kind, name, metric, unit, scope, owner, start_ns // {{each_ns}}
"""
_OTHERS = f"SELECT {_COLUMNS} FROM {_JOINED} WHERE scope <> '{Scope.PROCESS}'"


def of_processes(run: StoredRun, *kinds: str, most: int = MOST_SAMPLES) -> Columns:
    """Return samples of processes, of some kinds of resource, by begin: about ``most`` at the most."""
    return run.query(f"{_which(run, kinds, most)} ORDER BY start_ns")


def for_rules(run: StoredRun) -> Columns:
    """Return samples of hosts and devices, and of the cores that processes used, by begin."""
    return run.query(f"{_OTHERS} UNION ALL BY NAME {_which(run, ('cpu',), MOST_SAMPLES)} ORDER BY start_ns")


def _which(run: StoredRun, kinds: tuple[str, ...], most: int) -> str:
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    extent = run.query(_EXTENT.format(kinds=listed))
    rows, curves, length_ns = (int(extent[name][0] or 0) for name in ("rows", "curves", "length_ns"))
    if rows <= most:
        return _ALL.format(kinds=listed)
    return _FEWER.format(kinds=listed, each_ns=max(1, curves * length_ns // most))
