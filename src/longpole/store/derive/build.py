"""From what the log holds to all tables of the execution model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from longpole.model.execution import Status
from longpole.model.manifest import Manifest, State
from longpole.model.recording import Reading, RecordingNotes
from longpole.store.derive.arrays import Arrays, Part
from longpole.store.derive.attached import used_since
from longpole.store.derive.content import Content, counted
from longpole.store.derive.edges import edge_parts
from longpole.store.derive.executions import Driven, Executions
from longpole.store.derive.exits import Exits
from longpole.store.derive.files import file_tables
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.marked import Marked
from longpole.store.derive.members import Members
from longpole.store.derive.origins import RUN_ID
from longpole.store.derive.phases import RunPhase, phase_parts
from longpole.store.derive.processes import Processes
from longpole.store.derive.pythons import Pythons
from longpole.store.derive.recording import (
    recording_notes,
    with_clocks,
    with_members,
    with_remarks,
    with_told,
    with_unreached,
    with_workflow,
)
from longpole.store.derive.remarks import Remarks
from longpole.store.derive.rings import Rings
from longpole.store.derive.samples import SUMMED, Readings, Resources, sample_parts, sampled_sums
from longpole.store.derive.span import Span, span_of
from longpole.store.derive.sums import Sums
from longpole.store.derive.told import ToldRows
from longpole.store.derive.totals import total_table
from longpole.store.derive.workflow import SOURCE, Workflow


@dataclass(frozen=True, slots=True)
class Built:
    """The tables of a run, one by one so that few are in memory at once, and what is known besides."""

    tables: Iterator[tuple[str, Sequence[Part]]]
    reading: Reading
    recording: RecordingNotes


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the tables are made of."""

    content: Content
    hosts: Hosts
    rings: Rings
    exits: Exits
    marked: Marked
    readings: Readings
    processes: Processes
    sums: Sums
    run: RunPhase
    told: ToldRows


def build(content: Content, manifest: Manifest, state: State) -> Built:
    """Return the tables of a run; the log's slots are let go on the way."""
    logs = content.logs
    hosts = Hosts(logs, manifest.started)
    rings = Rings(logs)
    remarks = Remarks(logs, rings)
    exits = Exits(logs, rings, hosts.offsets)
    marked = Marked(logs, rings, hosts.offsets)
    readings = Readings(logs)
    told = ToldRows(content.told)
    seen = span_of(logs, exits, hosts.offsets, [readings.latest_ns(hosts.offsets), marked.latest_ns()])
    workflow = Workflow(logs, hosts)
    span = seen.with_told(told.span(), nothing_else=not logs).covering(workflow.drivers.span())
    processes = Processes(logs, hosts, rings)
    processes.take_ends(exits.ends)
    processes.settle(span.start_ns)
    told.recognise(processes, hosts)
    if workflow:
        told.add_own(SOURCE, workflow.tables(processes, span.end_ns or 0))
    driven = Driven(workflow.executed, frozenset(workflow.drivers.pids))
    members = Members(logs, rings, exits, hosts, Executions(told, driven))
    members.adopt(processes)
    members.settle(span.end_ns or 0)
    span = span.covering(members.span())
    status = (
        _status_of_workflow(manifest, state, workflow)
        if workflow
        else _status(manifest, span, state, members)
    )
    run = RunPhase(manifest.name, status, span, members, attributes=workflow.facts(manifest.longpole))
    doubts = (*_doubts(hosts, processes, marked, readings, told), *workflow.doubts)
    problems = (
        *content.problems,
        *(f"{counted(count, what)} {rest}." for count, what, rest in doubts if count),
    )
    reading = Reading(content.readable, content.expected, problems)
    sums = Sums(logs, rings, hosts.offsets)
    parts = _Parts(content, hosts, rings, exits, marked, readings, processes, sums, run, told)
    recording = with_clocks(recording_notes(logs, exits, sums), hosts)
    recording = with_remarks(recording, remarks, rings, processes)
    unreached = Pythons(logs, hosts, processes, rings).unreached(span.end_ns)
    recording = with_workflow(with_unreached(with_members(recording, members), unreached), workflow)
    return Built(_tables(parts), reading, with_told(recording, told))


def _tables(parts: _Parts) -> Iterator[tuple[str, Sequence[Part]]]:
    logs, hosts, processes, told = parts.content.logs, parts.hosts, parts.processes, parts.told
    members = parts.run.members
    before = {"hosts": len(hosts), "processes": len(processes.all), "tasks": len(members)}
    before["phases"] = RUN_ID + members.rows  # processes lie in what was told, so that comes first
    files, opens = file_tables(logs, hosts, processes)
    before["files"] = len(files["id"])
    totals = total_table(
        processes, parts.exits, _sampled(parts.readings, processes), used_since(parts.content.logs)
    )
    run = replace(parts.run, told=told.parts("phases", before))
    phases = phase_parts(run, processes, parts.marked, parts.rings, parts.sums)
    parts.marked.let_go()  # before the rows are written, which takes memory too
    yield "phases", phases
    del phases
    yield "hosts", [hosts.table(), *told.parts("hosts", before)]
    yield "clocks", [hosts.clocks(), *told.parts("clocks", before)]
    yield "processes", [processes.table(), *told.parts("processes", before)]
    yield "files", [files, *told.parts("files", before)]
    yield "opens", [opens, *told.parts("opens", before)]
    yield "totals", [totals, *told.parts("totals", before)]
    yield "tasks", [*([members.tasks()] if members else []), *told.parts("tasks", before)]
    edges = edge_parts(processes.all, opens, RUN_ID + run.rows_before)
    before["edges"] = sum(len(part["id"]) for part in edges)
    yield "edges", [*edges, *told.parts("edges", before)]
    resources = Resources()
    samples = sample_parts(parts.readings, logs, hosts, processes, resources)
    before["resources"] = len(resources)
    yield "samples", [*samples, *told.parts("samples", before)]
    yield "resources", [resources.table(), *told.parts("resources", before)]


def _sampled(readings: Readings, processes: Processes) -> Arrays:
    """Return sums of samples by process id, over all logs."""
    parts = [sampled_sums(found, *processes.numbers(at)) for at, found in enumerate(readings.of_processes)]
    count = len(processes.all) + 1
    total: Arrays = {name: np.zeros(count) for name in SUMMED}
    for part in parts:
        for name, known in total.items():
            padded = np.pad(part[name], (0, count - len(part[name])))
            total[name] = np.maximum(known, padded) if name == "resident_kib" else known + padded
    return total


def _status(manifest: Manifest, span: Span, state: State, members: Members) -> Status:
    if not span.finished and state is not State.FINISHED:
        return Status.UNFINISHED
    return Status.FAILED if manifest.exit_code or members.failed else Status.OK


def _status_of_workflow(manifest: Manifest, state: State, workflow: Workflow) -> Status:
    if state is State.RUNNING:
        return Status.UNFINISHED
    return Status.FAILED if workflow.status is Status.OK and manifest.exit_code else workflow.status


def _doubts(
    hosts: Hosts, processes: Processes, marked: Marked, readings: Readings, told: ToldRows
) -> tuple[tuple[int, str, str], ...]:
    """Return for each kind of record that is intact but cannot be true how many there are, and what of it."""
    return (
        (hosts.guessed, "log", "without a clock: its times follow the start of the run"),
        (processes.loops, "process", "that is its own ancestor: that parent was left out"),
        (marked.impossible, "phase", "with times that cannot be: they were left out"),
        (readings.impossible, "sample", "with times that cannot be: left out"),
        (told.unusable, "piece", "of what another system told could not be understood"),
        (told.strangers, "traced process", "that nobody recorded: what it did lies in the run itself"),
    )
