"""What the recorded times of a run tell: its tree, its critical path, whose the time was, and its replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from longpole.analyse.arrays import places
from longpole.analyse.blame import Counted, Labels, blame, on_path_ns
from longpole.analyse.demand import CoreTime, busy_cores, demand
from longpole.analyse.evidence import Evidence
from longpole.analyse.labels import labels_of, with_programs
from longpole.analyse.launches import launches_of
from longpole.analyse.likely_ends import with_likely_ends
from longpole.analyse.path import Because, Stretch, critical_path
from longpole.analyse.pipelines import needed_shares
from longpole.analyse.pools import pooled
from longpole.analyse.releases import dependencies, releases
from longpole.analyse.replay import Replay, replay_of
from longpole.analyse.rules.case import Case
from longpole.analyse.stitch import stitched
from longpole.analyse.tree import Tree, executing, numbers, tree_of
from longpole.analyse.values import number
from longpole.model.columns import Columns
from longpole.model.explanation import Blame

# Phases that hold a run and tell nothing of what is in it.
_AROUND = ("run", "workflow")


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
    kept = places(tree.ids, work.ids)
    spent = _core_time(evidence.cpu)
    wants = demand(lives, spent, busy_cores(evidence.busy))
    wants = replace(wants, needed=needed_shares(lives, evidence.pipes, spent.ran_ns))
    wants = wants.of(places(lives.ids, work.ids))
    replay = replay_of(work, dependencies(work, evidence.edges), wants)
    case = Case(
        overview=evidence.overview,
        tree=work,
        labels=Labels(labels.codes[kept], labels.words),
        on_path_ns=own[kept],
        waits_s=_waits_s(path),
        samples=evidence.samples,
        opens=evidence.opens,
        cores=evidence.overview.cores or 0,
        launches=launches_of(evidence.calls) if evidence.calls is not None else {},
    )
    found = blame(tree, path, labels, _counted(tree, evidence.counted))
    return Times(tree, path, labels, found, replay, case)


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
