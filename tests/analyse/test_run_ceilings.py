"""No run lies above a ceiling: whatever tasks do on a machine within its peaks, the roofline allows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.roofline import roofline
from longpole.analyse.run_case import Projection, case_of
from longpole.model.machine import Machine, Peak
from tests.analyse.run_tables import S, earlier, tables, task

CORES, DISK = 4, 1e9
LITTLE = 0.01
SHARE = st.floats(0, 1)


@dataclass
class Made:
    """A schedule: lanes of hosts, when each is free, what was run on them, and the makespan that was told."""

    hosts: int
    lanes: list[float]
    told_s: float | None = None
    ends: dict[int, float] = field(default_factory=dict)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    earlier: list[dict[str, Any]] = field(default_factory=list)
    edges: list[dict[str, int]] = field(default_factory=list)
    queues: list[dict[str, int]] = field(default_factory=list)

    @property
    def end_s(self) -> float:
        return max(self.ends.values())


@st.composite
def schedules(draw: st.DrawFn) -> Made:
    """Draw tasks of a random graph, each run when it could on a lane of a host, some tried twice."""
    hosts, lanes = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    made = Made(hosts, [0.0] * (hosts * lanes))
    for number in range(1, draw(st.integers(2, 12)) + 1):
        _run_task(draw, made, number, lanes)
    if draw(st.integers(0, 4)) == 0:
        _lose_times(draw, made)
    return made


def _lose_times(draw: st.DrawFn, made: Made) -> None:
    for row in draw(st.lists(st.sampled_from(made.tasks), max_size=3)):
        row.pop("start_ns", None)
        row.pop("end_ns", None)
    made.told_s = draw(st.none() | st.sampled_from([1.0, 0.5]).map(lambda part: part * made.end_s))


def _run_task(draw: st.DrawFn, made: Made, number: int, lanes: int) -> None:
    needed = draw(st.sets(st.sampled_from(sorted(made.ends)), max_size=4)) if made.ends else set()
    made.edges += [{"from_task": one, "to_task": number} for one in needed]
    lane = draw(st.integers(0, len(made.lanes) - 1))
    ready = max([made.lanes[lane], *(made.ends[one] for one in needed)])
    begin = ready + draw(st.sampled_from([0, 0, 0.7, 5.0]))
    queued = _wait(draw, made, round(ready * S), round(begin * S))
    if draw(st.integers(0, 4)) == 0:
        failed = draw(st.floats(0.1, 9))
        made.earlier.append(earlier(number, begin, failed))
        begin += failed
    took = draw(st.sampled_from([0.1, 1.0, 10.0])) * draw(st.floats(0.5, 1))
    made.tasks.append({**_task(draw, number, (begin, took), lanes), **queued})
    made.ends[number] = made.lanes[lane] = made.tasks[-1]["end_ns"] / S


def _wait(draw: st.DrawFn, made: Made, since_ns: int, until_ns: int) -> dict[str, int]:
    """Say, or do not, that a task waited in a queue."""
    if since_ns == until_ns or draw(st.booleans()):
        return {}
    made.queues.append({"start_ns": since_ns, "end_ns": until_ns})
    return {"queued_from_ns": since_ns, "queued_until_ns": until_ns}


def _task(draw: st.DrawFn, number: int, when: tuple[float, float], lanes: int) -> dict[str, Any]:
    """Return a task that uses at most its part of its host."""
    part = when[1] / lanes
    used: dict[str, Any] = {
        "cpu_s": draw(st.none() | SHARE.map(lambda share: share * part * CORES)),
        "storage_read": draw(st.none() | SHARE.map(lambda share: share * part * DISK)),
    }
    kind = draw(st.sampled_from(["map", "reduce", "plot"]))
    return task(number, kind, *when, **used)


@given(schedules())
def test_no_dot_lies_above_a_ceiling(made):
    machine = Machine("here", made.hosts, {"cpu": Peak(CORES), "disk-read": Peak(DISK)})
    rows = {"tasks": made.tasks, "earlier": made.earlier, "edges": made.edges, "queues": made.queues}
    run = tables(made.end_s, CORES, hosts=made.hosts, told_s=made.told_s, **rows)

    case = case_of(run, Projection(machine))

    for dot in case.dots:
        for ceiling in roofline(case).ceilings:
            assert ceiling.workflow_seconds <= dot.makespan_s * (1 + LITTLE), ceiling.name
