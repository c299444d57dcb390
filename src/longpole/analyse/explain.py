"""The explanation of a run, put together from the analyses beside this file.

Method: structure from declared dependencies; the critical path and blame from recorded times; findings from
rules whose changes are replayed. Each part is left out, with a sentence in ``limits``, where the run does not
tell enough for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from longpole.analyse.chain import chain_answers
from longpole.analyse.evidence import Evidence
from longpole.analyse.findings import find
from longpole.analyse.graph import Whole
from longpole.analyse.limits import limits_of
from longpole.analyse.path_parts import path_parts
from longpole.analyse.profile import Profile, profile
from longpole.analyse.questions import Used, answers
from longpole.analyse.rules.case import Rule
from longpole.analyse.structure import Structure, structure
from longpole.analyse.times import Times
from longpole.analyse.tree import Tree, known_rows, numbers
from longpole.model.columns import Columns
from longpole.model.explanation import Explanation, FileFlow, Finding, Questions

SCHEMA_VERSION = 1


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
        limits=tuple(dict.fromkeys((*limits_of(evidence, times, graph), *failed))),
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
    known = known_rows(files["bytes"])
    size = np.where(known, numbers(files["bytes"]), 0)
    made, taken = numbers(files["made"]) > 0, numbers(files["taken"]) > 0
    coming, passing, going = (
        int(size[chosen].sum()) for chosen in (~made & taken, made & taken, made & ~taken)
    )
    return FileFlow(files.rows, coming, passing, going, unsized=int((taken & ~known).sum()))
