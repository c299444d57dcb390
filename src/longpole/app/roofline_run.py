"""What the tables of a run say for its roofline: asked in SQL, put together by ``analyse.run_case``."""

from __future__ import annotations

from dataclasses import replace

from longpole.analyse.process_samples import ProcessSamples
from longpole.analyse.run_case import Projection, case_of
from longpole.analyse.run_tables import HostSums, RunTables
from longpole.analyse.times import Times, times_of
from longpole.app.devices import device_times_of
from longpole.app.explaining import evidence_of
from longpole.app.sampled import of_processes
from longpole.errors import CyclicGraphError
from longpole.model.case import Case
from longpole.model.columns import Columns, integers
from longpole.model.execution import Metric, Scope, Source
from longpole.model.explanation import Blame
from longpole.model.machine import Machine
from longpole.store.run import StoredRun

_METRICS = {
    "read": Metric.READ,
    "written": Metric.WRITTEN,
    "storage_read": Metric.STORAGE_READ,
    "storage_written": Metric.STORAGE_WRITTEN,
    "start_up_ns": Metric.START_UP,
    "import_ns": Metric.IMPORT,
}
_MOVED_BYTES = (Metric.READ, Metric.WRITTEN, Metric.STORAGE_READ, Metric.STORAGE_WRITTEN)
_PIVOT = ", ".join(
    [
        f"sum(value) FILTER (metric IN ('{Metric.CPU_USER}', '{Metric.CPU_SYSTEM}'))::DOUBLE AS cpu_ns",
        *(f"max(value) FILTER (metric = '{metric}')::DOUBLE AS {name}" for name, metric in _METRICS.items()),
    ]
)
_QUEUED = ("queue", "submitted", "hold")
# Small imports, of which only their sum is known, count with the start that they followed.
_NOTED = "(SELECT process FROM phases WHERE kind = 'import' AND process IS NOT NULL)"
_UP = f"start_up_ns + if(id IN {_NOTED}, 0, coalesce(import_ns, 0)) AS start_up_ns"
_USED = ", ".join(["cpu_ns", *(_UP if name == "start_up_ns" else name for name in _METRICS)])
_PROCESSES = f"""
    SELECT id, parent, name, command, start_ns, end_ns, source, {_USED} FROM processes
    LEFT JOIN (SELECT owner, {_PIVOT} FROM totals WHERE scope = '{Scope.PROCESS}' GROUP BY owner)
        ON owner = id ORDER BY id
"""
# What a task used is told of its execution, else of the whole job, else of parts of either.
_TOLD = ", ".join(
    f"coalesce(sum({name}) FILTER (kind = 'exec'), sum({name}) FILTER (kind = 'job'), sum({name})) AS {name}"
    for name in ("cpu_ns", *_METRICS)
)
# Attempts of tasks: the execution of each, from begin to end of all its parts, else the whole job.
_TRIES = """
    SELECT task, coalesce(attempt, 1) AS turn, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
        if(count(*) > 1, coalesce(max(end_ns) - min(start_ns), sum(duration_ns)), max(duration_ns))::BIGINT
            AS duration_ns
    FROM phases WHERE task IS NOT NULL AND kind IN ('exec', 'job') GROUP BY task, turn, kind
    QUALIFY row_number() OVER (PARTITION BY task, turn ORDER BY kind) = 1
"""
_LAST = "QUALIFY row_number() OVER (PARTITION BY task ORDER BY turn DESC)"
_TASKS = f"""
    WITH last AS (FROM ({_TRIES}) {_LAST} = 1),
    queued AS (
        SELECT task, max(start_ns) AS queued_from_ns, max(end_ns) AS queued_until_ns
        FROM phases WHERE task IS NOT NULL AND kind IN {_QUEUED} GROUP BY task
    ),
    told AS (
        SELECT task, {_TOLD} FROM phases LEFT JOIN last USING (task)
        JOIN (SELECT owner, {_PIVOT} FROM totals WHERE scope = '{Scope.PHASE}' GROUP BY owner) ON owner = id
        WHERE task IS NOT NULL AND coalesce(attempt, turn, 1) = coalesce(turn, attempt, 1) GROUP BY task
    )
    SELECT id, name, coalesce(type, name, 'task') AS type, resources, start_ns, end_ns, duration_ns,
        queued_from_ns, queued_until_ns, {_USED}
    FROM tasks LEFT JOIN last ON last.task = tasks.id LEFT JOIN queued ON queued.task = tasks.id
    LEFT JOIN told ON told.task = tasks.id ORDER BY id
"""
_EARLIER = f"SELECT task, start_ns, end_ns, duration_ns FROM ({_TRIES}) {_LAST} > 1 ORDER BY task, turn"
_INSIDE = f"""
    WITH RECURSIVE up AS (
        SELECT process, parent, task, attempt, 0 AS depth
        FROM phases WHERE kind = 'process' AND process IS NOT NULL
        UNION ALL
        SELECT up.process, phases.parent, phases.task, phases.attempt, depth + 1 FROM up
        JOIN phases ON phases.id = up.parent WHERE up.task IS NULL AND depth < 1000
    )
    SELECT process, min(task) AS task FROM up LEFT JOIN (FROM ({_TRIES}) {_LAST} = 1) AS last USING (task)
    WHERE task IS NOT NULL AND coalesce(attempt, turn, 1) = coalesce(turn, attempt, 1)
    GROUP BY process ORDER BY process
"""
_MARKS = """
    SELECT id, parent, name, process, lane, start_ns, end_ns, attributes FROM phases
    WHERE kind = 'phase' AND process IS NOT NULL AND end_ns > start_ns AND coalesce(count, 1) = 1 ORDER BY id
"""
_IMPORTS = """
    SELECT process, start_ns, end_ns FROM phases
    WHERE kind = 'import' AND process IS NOT NULL AND end_ns > start_ns AND coalesce(count, 1) = 1 ORDER BY id
"""
_QUEUES = f"""
    SELECT start_ns, end_ns FROM phases
    WHERE kind IN {_QUEUED} AND task IS NOT NULL AND end_ns > start_ns ORDER BY start_ns
"""
_EDGES = """
    SELECT from_task, to_task FROM edges WHERE from_task IS NOT NULL AND to_task IS NOT NULL
    GROUP BY ALL ORDER BY ALL
"""
_FILES = """
    SELECT maker.process AS from_task, taker.process AS to_task
    FROM (FROM edges WHERE kind = 'data' AND file IS NOT NULL) AS edge
    JOIN phases AS maker ON maker.id = edge.from_phase AND maker.kind = 'process'
    JOIN phases AS taker ON taker.id = edge.to_phase AND taker.kind = 'process' GROUP BY ALL ORDER BY ALL
"""
_JOINED = "samples JOIN resources ON samples.resource = resources.id"
_GPUS = f"""
    WITH busy AS (FROM {_JOINED} WHERE kind = 'gpu' AND metric = 'busy')
    SELECT start_ns, end_ns, value FROM busy WHERE end_ns > start_ns AND isfinite(value) AND scope = (
        SELECT CASE WHEN bool_or(scope = '{Scope.TREE}') THEN '{Scope.TREE}' ELSE '{Scope.DEVICE}' END
        FROM busy
    )
"""
_MOVED = f"""
    SELECT kind, metric, sum(value * ((end_ns - start_ns) / 1e9)) AS amount,
        sum((end_ns - start_ns) / 1e9) AS covered_s
    FROM {_JOINED} WHERE scope = '{Scope.HOST}' AND isfinite(value)
        AND (kind IN ('disk', 'nfs', 'cpu') OR (kind = 'network' AND unit = 'bytes/s')) GROUP BY ALL
"""
_SAMPLED = f"""
    SELECT count(DISTINCT owner) AS processes FROM totals WHERE scope = '{Scope.PROCESS}'
        AND source = '{Source.SAMPLED}' AND metric IN ('{Metric.CPU_USER}', '{Metric.CPU_SYSTEM}')
"""
_SPAN = "SELECT start_ns, end_ns FROM phases WHERE id = 1 AND kind = 'run'"
_TOLD_S = "SELECT max(duration_ns) / 1e9 AS took_s FROM phases WHERE kind = 'workflow'"
_HOSTS = "SELECT coalesce(max(cores), 0) AS cores, count(*) AS hosts FROM hosts"
_MOST_PARTS = 8
_WAITS = ("queue", "dependency", "dispatch", "idle")


def case_of_run(run: StoredRun, machine: Machine, *, projected: bool = False) -> Case:
    """Return a run as a case on a machine; ``projected``: another than the one it was measured on."""
    return case_of(tables_of(run), Projection(machine, projected))


def tables_of(run: StoredRun) -> RunTables:
    """Return what a roofline takes of a run's tables."""
    times, tables = _times(run), plain_tables_of(run)
    return replace(tables, processes=_with_likely_ends(tables.processes, times), parts=_parts(times))


def plain_tables_of(run: StoredRun) -> RunTables:
    """Return a run's tables as they are: without its critical path, which takes longer than all of them."""
    hosts, tasks, marks = run.query(_HOSTS), run.query(_TASKS), run.query(_MARKS)
    # Of an import the manifest has no more than what lies between times that are known.
    told = _first(run.query(_TOLD_S), "took_s") or (run.manifest.makespan_s if run.recording.logs else None)
    gpus = device_times_of(run)
    return RunTables(
        name=run.manifest.name or run.manifest.id,
        span=_span(run),
        told_s=told,
        cores=int(_first(hosts, "cores") or 0),
        hosts=int(_first(hosts, "hosts") or 0),
        processes=run.query(_PROCESSES),
        tasks=tasks,
        inside=run.query(_INSIDE),
        marks=marks,
        imports=run.query(_IMPORTS),
        queues=run.query(_QUEUES),
        earlier=run.query(_EARLIER),
        edges=run.query(_EDGES if tasks.rows else _FILES),
        gpus=run.query(_GPUS),
        gpu_s=sum(one.compute_us + one.non_compute_us for one in gpus) / 1e6 if gpus else None,
        used=_used(run) if marks.rows and not tasks.rows else None,
        moved=_moved(run.query(_MOVED), max(1, int(_first(hosts, "hosts") or 0))),
        whole=_whole(run),
        all_seen=run.recording.exit_records or not run.recording.logs,
        sampled=int(_first(run.query(_SAMPLED), "processes") or 0),
    )


def _whole(run: StoredRun) -> dict[str, float]:
    found = list(run.query(f"SELECT {_PIVOT} FROM totals WHERE scope = '{Scope.RUN}'").records())
    return {name: float(value) for name, value in found[0].items() if isinstance(value, int | float)}


def _span(run: StoredRun) -> tuple[int, int]:
    found = run.query(_SPAN)
    start, end = _first(found, "start_ns"), _first(found, "end_ns")
    return (int(start or 0), int(end or start or 0)) if found.rows else (0, 0)


def _used(run: StoredRun) -> ProcessSamples:
    wanted = (Metric.CPU_USER, Metric.CPU_SYSTEM, *_MOVED_BYTES)
    totals = run.query(
        f"SELECT owner AS process, metric, value FROM totals WHERE scope = '{Scope.PROCESS}' "
        f"AND owner IS NOT NULL AND metric IN {tuple(map(str, wanted))}"
    )
    return ProcessSamples(of_processes(run, "cpu", "storage", "io"), totals)


def _moved(rows: Columns, hosts: int) -> HostSums:
    amounts = {(row["kind"], row["metric"]): float(row["amount"] or 0.0) for row in rows.records()}
    covered = {
        row["kind"]: float(row["covered_s"] or 0.0) for row in rows.records() if row["metric"] == "user"
    }
    return HostSums(
        read=amounts.get(("disk", "read"), 0.0),
        written=amounts.get(("disk", "written"), 0.0),
        disks=any(kind == "disk" for kind, _ in amounts),
        nfs_read=amounts.get(("nfs", "read"), 0.0),
        nfs_written=amounts.get(("nfs", "written"), 0.0),
        network=max(amounts.get(("network", one), 0.0) for one in ("received", "sent")),
        covered_s=covered.get("cpu", 0.0) / hosts,
    )


def _times(run: StoredRun) -> Times | None:
    try:
        return times_of(evidence_of(run))
    except CyclicGraphError:  # of which there is no path
        return None


def _with_likely_ends(processes: Columns, times: Times | None) -> Columns:
    """Return processes of which those that nobody saw end did so when it is likely."""
    if times is None or Source.SAMPLED not in (processes["source"].words or ()):
        return processes
    places = times.tree.places_of_kind("process")
    likely = dict(zip(times.tree.process[places].tolist(), times.tree.end_ns[places].tolist(), strict=True))
    known = (None if end is None else int(end) for end in processes["end_ns"])
    rows = zip(processes["id"], known, processes["source"], strict=True)
    ends = [
        likely.get(int(process or 0), end) if source == Source.SAMPLED else end
        for process, end, source in rows
    ]
    return Columns({**processes, "end_ns": integers(ends)})


def _parts(times: Times | None) -> dict[str, float]:
    """Return what the makespan is made of, the largest first; nothing where no times are known."""
    found: dict[str, float] = {}
    for one in sorted(times.blame if times else (), key=lambda one: -one.seconds):
        name = _called(one)
        kept = name if name in found or len(found) < _MOST_PARTS or name == "queue" else "all else"
        found[kept] = found.get(kept, 0.0) + one.seconds
    return found


def _called(one: Blame) -> str:
    return one.kind if one.kind in _WAITS else one.what


def _first(rows: Columns, name: str) -> float | int | None:
    value = rows[name][0] if rows.rows else None
    return value if isinstance(value, int | float) else None
