"""From the JSON of WfFormat, of any version, to an instance in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from longpole.exchange.unreadable import UnreadableFileError
from longpole.exchange.wfformat_instance import Instance, Machine, Tasks, shown
from longpole.exchange.wfformat_schema import (
    EXECUTED_TASK,
    LISTED_TASK,
    SPECIFIED_FILE,
    SPECIFIED_TASK,
    Document,
    ExecutedTask,
    Execution,
    ListedFile,
    ListedTask,
    MachineObject,
    Number,
    SpecifiedTask,
    System,
    Workflow,
    entries,
    read_document,
)
from longpole.exchange.wfformat_tasks import Executed, Specified, makespan_ns
from longpole.exchange.wfformat_times import Moments

_NAME_LETTERS = 200
_KB = 1000
_BY_FILES = "No dependencies are declared: tasks depend on those that write the files they read."
_ZONE = "executedAt has no time zone: it was taken to be of this machine unless --timezone says otherwise."
_NO_MAKESPAN = "The makespan is given as 0: it was not recorded."


def read_instance(content: bytes, zone: tzinfo | None = None) -> Instance:
    """Return the instance that a file holds.

    Args:
        content: The whole file.
        zone: Where moments without a zone were written; None for here.

    Raises:
        UnreadableFileError: It is none; a sentence without the name of the file.
    """
    document = read_document(content)
    system = document.runtime_system or document.wms or System()
    moments = Moments(zone)
    specified, executed = _read_tasks(document.workflow, moments, system)
    execution, name = _execution(document.workflow), _name(document)
    del content, document  # as large as all that is made of it
    files = specified.files()
    befores, afters, by_files = specified.edges(files)
    tasks = executed.tasks(specified)
    lasted_ns, gaps = _makespan(execution, tasks)
    return Instance(
        name,
        (system.name or "", system.version or ""),
        moments.ns(execution.executed_at),
        lasted_ns,
        tasks,
        befores,
        afters,
        files,
        tuple(_machines(execution.machines or (), tasks)),
        (*gaps, *([_BY_FILES] if by_files else ()), *_of_moments(moments)),
    )


def _execution(workflow: Workflow) -> Execution:
    """Return what is said of the execution as a whole, wherever that version says it, without its tasks."""
    if workflow.specification is not None:
        execution = workflow.execution or Execution()
        return Execution(execution.makespan_s, execution.executed_at, None, execution.machines)
    makespan_s = workflow.old_makespan_s if workflow.makespan_s is None else workflow.makespan_s
    return Execution(makespan_s, workflow.executed_at, None, workflow.machines)


def _read_tasks(workflow: Workflow, moments: Moments, system: System) -> tuple[Specified, Executed]:
    specified = Specified()
    if workflow.specification is not None:
        return specified, _read_parts(workflow, specified, moments)
    return specified, _read_list(workflow, specified, moments, system)


def _read_parts(workflow: Workflow, specified: Specified, moments: Moments) -> Executed:
    """Read tasks and files, then what tasks took: the form from version 1.5 on."""
    specification, execution = workflow.specification, workflow.execution or Execution()
    assert specification is not None
    for file in entries(SPECIFIED_FILE, specification.files or (), "workflow.specification.files"):
        specified.add_file(file.id, file.bytes)
    for task in entries(SPECIFIED_TASK, specification.tasks, "workflow.specification.tasks"):
        specified.add(task)
    find = specified.finder()
    executed = Executed(specified.names, moments)
    for took in entries(EXECUTED_TASK, execution.tasks or (), "workflow.execution.tasks"):
        row = find(took.id)
        if row is None:
            raise UnreadableFileError(f"its execution has task {shown(took.id)}, its specification has not.")
        executed.add(row, took)
    return executed


def _read_list(workflow: Workflow, specified: Specified, moments: Moments, system: System) -> Executed:
    """Read one list of tasks with their files and what they took: the form before version 1.5."""
    listed = workflow.tasks if workflow.tasks is not None else workflow.jobs
    if listed is None:
        raise UnreadableFileError("its workflow has neither specification nor tasks nor jobs.")
    where = "workflow.tasks" if workflow.tasks is not None else "workflow.jobs"
    executed = Executed(specified.names, moments)
    # Counters were in kB then, but for those of Pegasus.
    scale = 1 if "pegasus" in (system.name or "").lower() else _KB
    for row, task in enumerate(entries(LISTED_TASK, listed, where)):
        _add_listed(specified, task)
        executed.add(row, _taken(task, scale))
    specified.finder()  # checks ids
    return executed


def _add_listed(specified: Specified, task: ListedTask) -> None:
    inputs: list[str] = []
    outputs: list[str] = []
    for file in task.files or ():
        name = _file_name(file)
        specified.add_file(name, file.size if file.bytes is None else file.bytes)
        (inputs if (file.link or "").lower() == "input" else outputs).append(name)
    identity = task.id or task.name
    specified.add(
        SpecifiedTask(identity, task.name, task.category, task.parents, task.children, inputs, outputs)
    )


def _file_name(file: ListedFile) -> str:
    return f"{file.path.rstrip('/')}/{file.name}" if file.path else file.name


def _taken(task: ListedTask, scale: int) -> ExecutedTask:
    """Return what a task took; the scale is that of counters before 1.4."""
    return ExecutedTask(
        task.id or task.name,
        task.old_runtime_s if task.runtime_s is None else task.runtime_s,
        task.executed_at or task.started_at,
        task.cores,
        task.cpu_percent,
        _scaled(task.read_bytes, task.old_read, scale),
        _scaled(task.written_bytes, task.old_written, scale),
        _scaled(task.memory_bytes, task.memory_kb, _KB),
        [task.machine] if task.machine else None,
        task.command,
    )


def _scaled(in_bytes: float | None, other: float | None, scale: int) -> float | None:
    if in_bytes is not None or other is None:
        return in_bytes
    return other * scale


def _makespan(execution: Execution, tasks: Tasks) -> tuple[int | None, list[str]]:
    """Return the recorded makespan; one of 0 although tasks took time is none."""
    lasted_ns = makespan_ns(execution.makespan_s)
    if lasted_ns == 0 and tasks.runtime_ns.any():
        return None, [_NO_MAKESPAN]
    return lasted_ns, []


def _machines(described: Sequence[MachineObject], tasks: Tasks) -> Iterator[Machine]:
    """Yield each machine once: those described, then those that only tasks name."""
    seen: set[str] = set()
    for machine in described:
        if machine.name not in seen:
            seen.add(machine.name)
            cpu = machine.cpu
            cores = None if cpu is None else cpu.count if cpu.cores is None else cpu.cores
            memory = _scaled(machine.memory_bytes, machine.memory_kb, _KB)
            yield Machine(machine.name, machine.architecture, machine.release, _count(cores), _count(memory))
    for name in (name for names in tasks.machine_sets for name in names):
        if name not in seen:
            seen.add(name)
            yield Machine(name)


def _count(value: Number | None) -> int | None:
    return int(value) if value is not None and 0 < value < 1 << 62 else None


def _name(document: Document) -> str:
    return (document.name or "").removesuffix(".json")[:_NAME_LETTERS]


def _of_moments(moments: Moments) -> Iterator[str]:
    if moments.odd:
        yield f"executedAt could not be understood: {shown(moments.odd)}."
    if moments.without_zone:
        yield _ZONE
