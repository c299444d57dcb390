"""The explanation of a run, put together from the analyses beside this file.

Method: structure from declared dependencies; the critical path and blame from recorded times; findings from
rules whose changes are replayed. Each part is left out, with a sentence in ``limits``, where the run does not
tell enough for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from longpole.analyse.blame import Counted, Labels, blame, on_path_ns
from longpole.analyse.chain import chain_answers
from longpole.analyse.demand import CoreTime, busy_cores, demand
from longpole.analyse.findings import find
from longpole.analyse.graph import Whole
from longpole.analyse.labels import labels_of, with_programs
from longpole.analyse.launches import launches_of
from longpole.analyse.likely_ends import with_likely_ends
from longpole.analyse.path import Because, Stretch, critical_path
from longpole.analyse.path_parts import path_parts
from longpole.analyse.pipelines import needed_shares
from longpole.analyse.pools import pooled
from longpole.analyse.profile import Profile, profile
from longpole.analyse.questions import Used, answers
from longpole.analyse.releases import dependencies, releases
from longpole.analyse.replay import Replay, replay_of
from longpole.analyse.rules.case import Case, Rule
from longpole.analyse.sentences import count_of
from longpole.analyse.stitch import stitched
from longpole.analyse.structure import Structure, structure
from longpole.analyse.tree import Tree, executing, known_rows, numbers, tree_of
from longpole.analyse.values import number
from longpole.model.columns import Columns
from longpole.model.device_time import DeviceTime
from longpole.model.explanation import Blame, Explanation, FileFlow, Finding, Questions
from longpole.model.manifest import State
from longpole.model.overview import Overview

SCHEMA_VERSION = 1
# Phases that hold a run and tell nothing of what is in it.
_AROUND = ("run", "workflow")
_NO_TIMES = "No task start times: only DAG bounds can be given."


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that an explanation is drawn from.

    Attributes:
        overview: What ``show`` says.
        unit: What a task is in this run: task, process or phase.
        phases: As ``tree_of`` takes them.
        counted: Columns ``parent``, ``kind``, ``name`` and ``duration_ns`` of phases that stand for many.
        tasks: As ``structure`` takes them, with ``type``, and ``total_ns`` over all attempts.
        edges: Columns ``from_task`` and ``to_task``.
        files: Columns ``bytes``, ``made`` and ``taken``: whether a task makes it, and whether one takes it.
        samples: As rules see them.
        opens: As rules see them.
        cpu: Columns ``process``, ``cpu_ns`` and ``wait_ns``: how long processes ran, and waited for a core.
        busy: As ``busy_cores`` takes them.
        ends: Columns ``process`` and ``late_ns``, by how much its end may be noted too late.
        pipes: Phases of processes that hand data over by a pipe, which makes them no edge.
        programs: Columns ``process``, ``name`` and ``command``.
        calls: As ``launches_of`` takes them; None if nothing was traced of GPUs.
        gpu: How GPUs spent their time, where that was traced.
        recorded_ns: The makespan as it was told, where no phase tells it; None if nobody did.
        told_by: Who told of the run.
        gaps: What they could not tell.
    """

    overview: Overview
    unit: str
    phases: Columns
    counted: Columns
    tasks: Columns
    edges: Columns
    files: Columns
    samples: Columns
    opens: Columns
    cpu: Columns
    busy: Columns
    ends: Columns
    programs: Columns
    pipes: tuple[tuple[int, int], ...] = ()
    calls: Columns | None = None
    gpu: tuple[DeviceTime, ...] = ()
    recorded_ns: int | None = None
    told_by: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """What recorded times tell of a run.

    Attributes:
        tree: Its phases, waits included.
        path: Its critical path.
        labels: What to call its phases.
        blame: What its makespan is made of.
        replay: How it can be replayed, over the tree of ``case``.
        case: What rules see of it.
    """

    tree: Tree
    path: Sequence[Stretch]
    labels: Labels
    blame: tuple[Blame, ...]
    replay: Replay
    case: Case


def explain(evidence: Evidence, times: Times | None, rules: Iterable[Rule]) -> Explanation:
    """Return the explanation of a run, with what its recorded times tell.

    Raises:
        CyclicGraphError: Its tasks depend on themselves.
    """
    graph = structure(evidence.tasks, evidence.edges)
    findings, failed = find(times.case, times.replay, rules) if times else ((), ())
    running = _running(evidence, times.tree) if times else None
    return Explanation(
        schema_version=SCHEMA_VERSION,
        run=evidence.overview.run,
        name=evidence.overview.name,
        unit=evidence.unit,
        tasks=len(graph.ids),
        edges=len(graph.graph.before),
        levels=graph.levels,
        width=graph.width,
        antichain=graph.antichain.tasks,
        antichain_exact=graph.antichain.exact,
        total_task_s=_total_s(evidence, graph),
        critical_path_s=_critical_path_s(evidence, times, graph),
        makespan_s=_makespan_s(evidence, times),
        asap_peak=graph.asap_peak,
        parallelism_mean=running.mean() if running else None,
        parallelism_peak=running.peak if running else None,
        self_replay_error=times.replay.error if times else None,
        questions=_questions(evidence, times, findings, graph),
        findings=findings,
        blame=times.blame if times else (),
        path=path_parts(times.tree, times.path, times.labels) if times else (),
        flow=_flow(evidence.files),
        told_by=evidence.told_by,
        limits=tuple(dict.fromkeys((*_limits(evidence, times, graph), *failed))),
        gpu=evidence.gpu,
    )


def _questions(
    evidence: Evidence, times: Times | None, findings: Sequence[Finding], graph: Structure
) -> Questions:
    used = Used(evidence.overview, evidence.gpu)
    if times is not None:
        return answers(used, times.case, times.blame, times.replay, findings)
    known = answers(used, None, (), None, findings)
    chain = chain_answers(evidence.tasks, graph)
    return known if chain is None else replace(known, impact=chain[0], resources=chain[1])


def times_of(evidence: Evidence) -> Times | None:
    """Return what the recorded times of a run tell; nothing if none are known."""
    ends = numbers(evidence.ends["process"]), numbers(evidence.ends["late_ns"])
    lives = stitched(with_likely_ends(tree_of(evidence.phases), *ends))
    tree = with_programs(pooled(lives), evidence.programs)
    if len(tree) == len(tree.places_of_kind(*_AROUND)):
        return None
    labels = labels_of(tree, evidence.tasks)
    path = critical_path(tree, releases(tree, evidence.edges))
    own = on_path_ns(tree, path)
    work = executing(tree)
    places = _places_of(work, tree)
    spent = _core_time(evidence.cpu)
    wants = demand(lives, spent, busy_cores(evidence.busy))
    wants = replace(wants, needed=needed_shares(lives, evidence.pipes, spent.ran_ns))
    wants = wants.of(_places_of(work, lives))
    replay = replay_of(work, dependencies(work, evidence.edges), wants)
    case = Case(
        overview=evidence.overview,
        tree=work,
        labels=Labels(labels.codes[places], labels.words),
        on_path_ns=own[places],
        waits_s=_waits_s(path),
        samples=evidence.samples,
        opens=evidence.opens,
        cores=evidence.overview.cores or 0,
        launches=launches_of(evidence.calls) if evidence.calls is not None else {},
    )
    found = blame(tree, path, labels, _counted(tree, evidence.counted))
    return Times(tree, path, labels, found, replay, case)


def _places_of(some: Tree, tree: Tree) -> Whole:
    """Return where in a tree phases of another are."""
    order = np.argsort(tree.ids)
    found: Whole = order[np.searchsorted(tree.ids[order], some.ids)]
    return found


def _counted(tree: Tree, rows: Columns) -> dict[int, list[Counted]]:
    """Return parts that were only counted, by the place of the phase that they are part of."""
    place_of = dict(zip(tree.ids.tolist(), range(len(tree)), strict=True)) if rows.rows else {}
    found: dict[int, list[Counted]] = {}
    for row in rows.records():
        place = place_of.get(int(number(row["parent"]) or 0))
        if place is not None:
            part = Counted(str(row["name"]), str(row["kind"]), int(number(row["duration_ns"]) or 0))
            found.setdefault(place, []).append(part)
    return found


def _core_time(cpu: Columns) -> CoreTime:
    ran, waited = {}, {}
    for row in cpu.records():
        process, waits = int(number(row["process"]) or 0), number(row["wait_ns"])
        ran[process] = number(row["cpu_ns"]) or 0.0
        if waits is not None:
            waited[process] = waits
    return CoreTime(ran, waited)


def _waits_s(path: Sequence[Stretch]) -> dict[str, float]:
    waits = {because.value: 0.0 for because in Because if because is not Because.WORK}
    for stretch in path:
        if stretch.because is not Because.WORK:
            waits[stretch.because.value] += (stretch.end_ns - stretch.start_ns) / 1e9
    return waits


def running_places(tree: Tree) -> Whole:
    """Return what counts as running: executions of tasks, else jobs, else processes, else anything."""
    for kind in ("exec", "job", "process"):
        places = tree.places_of_kind(kind)
        if len(places):
            return places
    return np.arange(1, len(tree))


def _running(evidence: Evidence, tree: Tree) -> Profile:
    places = running_places(tree)
    if evidence.unit == "process":  # not those that they started, which are no tasks either
        own = np.isin(tree.process, numbers(evidence.tasks["id"]))
        units = np.intersect1d(tree.places_of_kind("process"), np.flatnonzero(own))
        places = units if len(units) else places
    return profile(tree.start_ns[places], tree.end_ns[places])


def _makespan_s(evidence: Evidence, times: Times | None) -> float | None:
    if times is not None:
        return int(times.tree.end_ns[0] - times.tree.start_ns[0]) / 1e9
    if evidence.recorded_ns is not None:
        return evidence.recorded_ns / 1e9
    return evidence.overview.makespan_s


def _critical_path_s(evidence: Evidence, times: Times | None, graph: Structure) -> float:
    """Return the longest path over the graph: of processes no longer than the run, as ticks add up."""
    longest_s, whole_s = graph.forward.length_ns / 1e9, _makespan_s(evidence, times)
    return min(longest_s, whole_s) if evidence.unit == "process" and whole_s is not None else longest_s


def _total_s(evidence: Evidence, graph: Structure) -> float:
    totals = evidence.tasks["total_ns"]
    known = np.where(known_rows(totals), numbers(totals), 0)
    return int(known.sum()) / 1e9 if len(graph.ids) else 0.0


def _flow(files: Columns) -> FileFlow:
    size = np.where(known_rows(files["bytes"]), numbers(files["bytes"]), 0)
    made, taken = numbers(files["made"]) > 0, numbers(files["taken"]) > 0
    sums = [int(size[chosen].sum()) for chosen in (~made & taken, made & taken, made & ~taken)]
    return FileFlow(files.rows, *sums)


def _not_whole(overview: Overview) -> Iterator[str]:
    """Yield what kept the run from its end: what is said holds up to there."""
    if overview.state == State.RUNNING:
        yield "The run is still going: what is said holds up to now."
    elif overview.signal is not None or overview.state == State.BROKEN:
        yield "The run was broken off: what is said holds up to there."
    elif overview.exit_code:
        yield f"The command failed with exit code {overview.exit_code}: what is said holds up to there."
    failed = sum(task.failed for task in overview.tasks)
    if failed:
        yield f"{count_of(failed, 'task')} failed; what they took is in here."


def _limits(evidence: Evidence, times: Times | None, graph: Structure) -> Iterator[str]:
    yield from _not_whole(evidence.overview)
    yield from evidence.gaps
    if times is None and len(graph.ids) and _NO_TIMES not in evidence.gaps:
        yield _NO_TIMES
    if not graph.antichain.exact:
        yield "The number of tasks that could run at once is a lower bound: the graph is too large for more."
    if times is not None and times.tree.orphans:
        orphans = count_of(times.tree.orphans, "phase")
        yield f"{orphans} without a parent: what they are part of is not there; they count as the run's own."
    if evidence.pipes:
        pairs = f"{count_of(len(evidence.pipes), 'pair')} of processes hand{'s' * (len(evidence.pipes) == 1)}"
        yield f"{pairs} data over by a pipe while both run: no edge, as neither waits for the other's end."
    yield from evidence.overview.unseen
    yield from evidence.overview.limits
