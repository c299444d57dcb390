"""What the tables of a run say for its explanation: asked in SQL, put together by ``analyse.explain``.

Where nobody told of tasks, processes take their place: those that the command's first process started, or
that process itself if it started fewer than two. Files that one wrote and a later one opened are their edges.
Pipes are none: both ends run at once, and a chain of them would take longer than the run. A process counts
within the run only: its end may be noted a moment late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from longpole.analyse.bound_words import with_bounds
from longpole.analyse.bounds import bounds
from longpole.analyse.evidence import Evidence
from longpole.analyse.explain import explain
from longpole.analyse.rules.case import Rule
from longpole.analyse.run_timeline import timeline_of
from longpole.analyse.times import Times, times_of
from longpole.analyse.tree import numbers
from longpole.analyse.why import why
from longpole.app.bounding import usage_of
from longpole.app.devices import device_times_of, step_parts_of
from longpole.app.overview import overview_of
from longpole.app.progress import progress
from longpole.app.rules import all_rules
from longpole.app.sampled import for_rules
from longpole.app.traced import phases_without_traces
from longpole.errors import NoSuchPhaseError
from longpole.model.columns import Columns
from longpole.model.device_time import Rounding
from longpole.model.execution import Metric, Scope, Source
from longpole.model.explanation import Explanation, Why
from longpole.model.timeline import Timeline
from longpole.store.run import StoredRun

# Steps as a GPU had them lie beside those of the host, which has all of them: they are no work more.
# A workflow whose end nobody told goes on as long as anything in the run. An attempt that ended well and was
# made once more, as a runner's own jobs are when a run is gone on with, is no try: nothing waited for it.
_PHASES = """
    WITH jobs AS (
        SELECT task, attempt, status, max(attempt) OVER (PARTITION BY task) AS last
        FROM phases WHERE kind = 'job' AND task IS NOT NULL
    ),
    repeated AS (SELECT task, attempt FROM jobs WHERE status = 'ok' AND attempt < last),
    ended AS (
        SELECT * REPLACE (CASE WHEN kind = 'workflow' AND end_ns IS NULL
            THEN (SELECT max(end_ns) FROM phases) ELSE end_ns END AS end_ns,
            CASE WHEN (task, attempt) NOT IN (SELECT (task, attempt) FROM repeated) THEN task END AS task)
        FROM phases
    )
    SELECT id, parent, kind, name, task, process, lane, start_ns, end_ns FROM ended
    WHERE start_ns IS NOT NULL AND end_ns IS NOT NULL AND coalesce(count, 1) = 1
        AND kind IS DISTINCT FROM 'device' ORDER BY id
"""
_COUNTED = """
    SELECT parent, kind, name, sum(duration_ns)::BIGINT AS duration_ns FROM phases
    WHERE count > 1 AND parent IS NOT NULL GROUP BY ALL ORDER BY ALL
"""
_TASKS = """
    WITH did AS (
        SELECT task, arg_max(duration_ns, coalesce(attempt, 1)) FILTER (kind = 'exec') AS last_exec,
            arg_max(duration_ns, coalesce(attempt, 1)) FILTER (kind = 'job') AS last_job,
            sum(duration_ns) FILTER (kind = 'exec') AS execs, sum(duration_ns) FILTER (kind = 'job') AS jobs
        FROM phases WHERE task IS NOT NULL AND kind IN ('exec', 'job') GROUP BY task
    )
    SELECT id, name, coalesce(type, name) AS type, coalesce(last_exec, last_job)::BIGINT AS duration_ns,
        coalesce(execs, jobs)::BIGINT AS total_ns
    FROM tasks LEFT JOIN did ON did.task = tasks.id ORDER BY id
"""
_EDGES = """
    SELECT from_task, to_task FROM edges WHERE from_task IS NOT NULL AND to_task IS NOT NULL
    GROUP BY ALL ORDER BY ALL
"""
# How late the end of a process may be noted: starts and ends are known to a tick of the kernel's clock each.
_LATE_NS = 20_000_000
_TOP = """
    WITH first AS (
        FROM processes WHERE parent IS NULL OR parent NOT IN (SELECT id FROM processes)
    ),
    started AS (FROM processes WHERE parent IN (SELECT id FROM first)),
    top AS (
        FROM started WHERE (SELECT count(*) FROM started) > 1
        UNION ALL FROM first WHERE (SELECT count(*) FROM started) <= 1
    )
"""
_PROCESSES = f"""
    {_TOP},
    lived AS (
        SELECT top.id, coalesce(top.name, '?') AS name,
            greatest(0, least(top.end_ns, run.end_ns) - greatest(top.start_ns, run.start_ns)) AS lived_ns,
            top.start_ns IS NOT NULL AND top.end_ns IS NOT NULL AS known
        FROM top LEFT JOIN phases AS run ON run.kind = 'run' AND run.parent IS NULL
    )
    SELECT id, name, name AS type, (CASE WHEN known THEN lived_ns END)::BIGINT AS duration_ns,
        duration_ns AS total_ns
    FROM lived ORDER BY id
"""
_HANDED_OVER = f"""
    {_TOP.replace("WITH first", "WITH RECURSIVE first")},
    within AS (
        SELECT id AS process, id AS unit, start_ns, end_ns FROM top
        UNION ALL
        SELECT processes.id, within.unit, within.start_ns, within.end_ns FROM processes JOIN within
            ON processes.parent = within.process WHERE processes.id NOT IN (SELECT id FROM top)
    )
    SELECT wrote.unit AS from_task, took.unit AS to_task
    FROM (FROM edges WHERE kind = 'data' AND file IS NOT NULL) AS edge
    JOIN phases AS maker ON maker.id = edge.from_phase AND maker.kind = 'process'
    JOIN phases AS taker ON taker.id = edge.to_phase AND taker.kind = 'process'
    JOIN within AS wrote ON wrote.process = maker.process JOIN within AS took ON took.process = taker.process
    WHERE wrote.end_ns <= took.start_ns + {_LATE_NS} AND wrote.end_ns < took.end_ns
    GROUP BY ALL ORDER BY ALL
"""
_PIPES = """
    SELECT from_phase, to_phase FROM edges
    WHERE kind = 'pipe' AND from_phase IS NOT NULL AND to_phase IS NOT NULL ORDER BY id LIMIT 100000
"""
_FILES = """
    WITH used AS (
        SELECT file, coalesce(written, 0) = 1 AS made, coalesce(written, 0) = 0 AS taken
        FROM opens WHERE task IS NOT NULL
        UNION ALL
        SELECT file, from_task IS NOT NULL, to_task IS NOT NULL FROM edges WHERE file IS NOT NULL
    )
    SELECT files.id, any_value(files.bytes) AS bytes, coalesce(max(made::TINYINT), 0) AS made,
        coalesce(max(taken::TINYINT), 0) AS taken
    FROM files LEFT JOIN used ON used.file = files.id GROUP BY files.id
"""
_OPENS = """
    SELECT opens.file, any_value(files.name) AS name, any_value(files.bytes) AS bytes,
        sum(opens.times)::BIGINT AS times, count(DISTINCT opens.process) AS processes
    FROM opens JOIN files ON opens.file = files.id WHERE coalesce(opens.written, 0) = 0 GROUP BY opens.file
"""
_CPU = f"""
    SELECT owner AS process,
        sum(value) FILTER (metric IN ('{Metric.CPU_USER}', '{Metric.CPU_SYSTEM}')) AS cpu_ns,
        sum(value) FILTER (metric = '{Metric.CPU_WAIT}') AS wait_ns
    FROM totals WHERE scope = '{Scope.PROCESS}' AND owner IS NOT NULL GROUP BY owner
"""
# One that nobody saw end is noted to have when it is looked for.
_ENDS = f"""
    SELECT id AS process, CASE source WHEN '{Source.SAMPLED}' THEN 1000000000 ELSE {_LATE_NS} END AS late_ns
    FROM processes WHERE source IN ('{Source.SAMPLED}', '{Source.EXACT}')
"""
_PROGRAMS = "SELECT id AS process, name, command FROM processes ORDER BY id"
# Time that other guests of the machine took is time in which a core was wanted.
_BUSY = f"""
    SELECT samples.start_ns, samples.end_ns, sum(value) AS cores, max(capacity) AS capacity
    FROM samples JOIN resources ON samples.resource = resources.id
    WHERE scope = '{Scope.HOST}' AND kind = 'cpu' AND metric IN ('user', 'system', 'stolen')
    GROUP BY samples.start_ns, samples.end_ns, resources.host ORDER BY samples.start_ns
"""
# Of a GPU's trace alone: steps and their waits, and what was launched; operators and kernels are too many.
_STEPS_ONLY = _PHASES.replace(
    "WHERE start_ns", "WHERE kind IN ('run', 'process', 'step', 'data') AND start_ns"
)
_CALLS = """
    SELECT call.process, call.name, call.start_ns, call.end_ns, work.device, work.lane,
        work.start_ns AS work_start_ns, work.end_ns AS work_end_ns
    FROM phases AS call LEFT JOIN (FROM edges WHERE kind = 'launch') AS edge ON edge.from_phase = call.id
    LEFT JOIN phases AS work ON work.id = edge.to_phase
    WHERE call.kind = 'runtime' AND call.process IS NOT NULL ORDER BY call.start_ns, call.id
"""
_TRACED = "SELECT id FROM phases WHERE kind = 'runtime' LIMIT 1"
# Reading, and the critical path.
_STEPS_BEFORE_RULES = 2
_RECORDED = "SELECT max(duration_ns)::BIGINT AS took_ns FROM phases WHERE kind = 'workflow'"


@dataclass(frozen=True, slots=True)
class _Units:
    """What counts as a task in a run, who depends on whom, and which processes a pipe joins."""

    name: str
    rows: Columns
    edges: Columns
    pipes: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Explained:
    """A run, explained, and what more can be asked about it."""

    explanation: Explanation
    times: Times | None

    def timeline(self) -> Timeline:
        """Return the run over time; empty where no times are known."""
        return timeline_of(self.times) if self.times else Timeline((), 0.0)

    def why(self, phase: str) -> Why:
        """Return why a phase matters.

        Raises:
            NoSuchPhaseError: There is no such phase.
        """
        if self.times is None:
            raise NoSuchPhaseError(phase, ())
        return why(self.times.case, self.times.replay, phase)


def explain_run(run: StoredRun, *, hta_rounding: bool = False) -> Explained:
    """Return the explanation of a run; times of GPUs rounded as Holistic Trace Analysis does, if wanted.

    Raises:
        CyclicGraphError: Its tasks depend on themselves.
        UsageError: A rule of another package cannot be loaded.
    """
    rounding = Rounding.HTA if hta_rounding else Rounding.EXACT
    rules = all_rules()
    with progress("Explaining", _STEPS_BEFORE_RULES + len(rules)) as done:
        evidence = replace(evidence_of(run), gpu=device_times_of(run, rounding=rounding))
        done(1)
        times = times_of(evidence)
        done(1)
        found = explain(evidence, times, _one_by_one(rules, done))
        found = replace(found, steps=step_parts_of(run))
        if times is not None:
            found = with_bounds(found, bounds(times.case, usage_of(run)))
    return Explained(found, times)


def _one_by_one(rules: Sequence[Rule], done: Callable[[int], None]) -> Iterator[Rule]:
    """Yield rules, and tell of each when the next is asked for: replays of what they suspect take longest."""
    for rule in rules:
        yield rule
        done(1)


def evidence_of(run: StoredRun) -> Evidence:
    """Return what an explanation is drawn from."""
    units = _units(run)
    traced = run.query(_TRACED).rows > 0
    told = next(iter(run.query(_RECORDED)["took_ns"]), None)
    return Evidence(
        overview=overview_of(run),
        unit=units.name,
        phases=run.query(phases_without_traces(run) or (_STEPS_ONLY if traced else _PHASES)),
        counted=run.query(_COUNTED),
        tasks=units.rows,
        edges=units.edges,
        pipes=units.pipes,
        files=run.query(_FILES),
        samples=for_rules(run),
        opens=run.query(_OPENS),
        cpu=run.query(_CPU),
        busy=run.query(_BUSY),
        ends=run.query(_ENDS),
        programs=run.query(_PROGRAMS),
        calls=run.query(_CALLS) if traced else None,
        recorded_ns=told if isinstance(told, int) else None,
        told_by=run.recording.told_by,
        gaps=run.recording.gaps,
    )


def _units(run: StoredRun) -> _Units:
    if run.query("SELECT id FROM tasks LIMIT 1").rows:
        return _Units("task", run.query(_TASKS), run.query(_EDGES))
    piped = run.query(_PIPES)
    ends = (numbers(piped[name]).tolist() for name in ("from_phase", "to_phase"))
    pipes = tuple(zip(*ends, strict=True))
    return _Units("process", run.query(_PROCESSES), run.query(_HANDED_OVER), pipes)
