"""WfFormat as it is written: the objects of its JSON, of all versions, and no more of them than is read.

From version 1.5 on ``specification`` has tasks and files, and ``execution`` has what they took. Before, one
list has both (``jobs`` up to 1.2, ``tasks`` from 1.3 on), with the files of a task inside of it. Entries of
lists stay bytes and are decoded one by one: a mistake has a place, and a million tasks are never all objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from longpole.exchange.unreadable import UnreadableFileError

Number = int | float
Kind = TypeVar("Kind")


class Command(Struct, gc=False):
    """What a task executed."""

    program: str | None = None


class SpecifiedTask(Struct, gc=False, rename="camel"):
    """A task and what it depends on; parents and children are ids, before 1.5 names or ids."""

    id: str
    name: str | None = None
    category: str | None = None
    parents: list[str] | None = None
    children: list[str] | None = None
    input_files: list[str] | None = None
    output_files: list[str] | None = None


class ExecutedTask(
    Struct,
    gc=False,
    rename={
        "runtime_s": "runtimeInSeconds",
        "executed_at": "executedAt",
        "cores": "coreCount",
        "cpu_percent": "avgCPU",
        "read_bytes": "readBytes",
        "written_bytes": "writtenBytes",
        "memory_bytes": "memoryInBytes",
    },
):
    """What a task took."""

    id: str
    runtime_s: float | None = None
    executed_at: str | None = None
    cores: float | None = None
    cpu_percent: float | None = None
    read_bytes: float | None = None
    written_bytes: float | None = None
    memory_bytes: float | None = None
    machines: list[str] | None = None
    command: Command | None = None


class SpecifiedFile(Struct, gc=False, rename={"bytes": "sizeInBytes"}):
    """A file; its id is any text, "None" as well."""

    id: str
    bytes: Number | None = None


class ListedFile(Struct, gc=False, rename={"bytes": "sizeInBytes"}):
    """A file inside of a task, before 1.5; ``size`` is what ``sizeInBytes`` was called before 1.4."""

    name: str
    path: str | None = None
    link: str | None = None
    bytes: Number | None = None
    size: Number | None = None


class ListedTask(
    Struct,
    gc=False,
    rename={
        "runtime_s": "runtimeInSeconds",
        "old_runtime_s": "runtime",
        "executed_at": "executedAt",
        "started_at": "startedAt",
        "cpu_percent": "avgCPU",
        "read_bytes": "readBytes",
        "old_read": "bytesRead",
        "written_bytes": "writtenBytes",
        "old_written": "bytesWritten",
        "memory_bytes": "memoryInBytes",
        "memory_kb": "memory",
    },
):
    """A task before 1.5: what it depends on and what it took; names in ``old_`` fields are of before 1.4."""

    name: str
    id: str | None = None
    category: str | None = None
    parents: list[str] | None = None
    children: list[str] | None = None
    files: list[ListedFile] | None = None
    runtime_s: float | None = None
    old_runtime_s: float | None = None
    executed_at: str | None = None
    started_at: str | None = None
    cores: float | None = None
    cpu_percent: float | None = None
    read_bytes: float | None = None
    old_read: float | None = None
    written_bytes: float | None = None
    old_written: float | None = None
    memory_bytes: float | None = None
    memory_kb: float | None = None
    machine: str | None = None
    command: Command | None = None


class Cpu(Struct, gc=False, rename={"cores": "coreCount"}):
    """The processor of a machine; ``count`` is what ``coreCount`` was called before 1.5."""

    cores: Number | None = None
    count: Number | None = None


class MachineObject(
    Struct,
    gc=False,
    rename={"name": "nodeName", "memory_bytes": "memoryInBytes", "memory_kb": "memory"},
):
    """A machine; before 1.4 its memory was in kB."""

    name: str
    architecture: str | None = None
    release: str | None = None
    memory_bytes: Number | None = None
    memory_kb: Number | None = None
    cpu: Cpu | None = None


class Specification(Struct):
    """Tasks and files as the author of the workflow declares them."""

    tasks: list[Raw]
    files: list[Raw] | None = None


class Execution(Struct, rename={"makespan_s": "makespanInSeconds", "executed_at": "executedAt"}):
    """One execution of the tasks."""

    makespan_s: float | None = None
    executed_at: str | None = None
    tasks: list[Raw] | None = None
    machines: list[MachineObject] | None = None


class Workflow(
    Struct,
    rename={"makespan_s": "makespanInSeconds", "old_makespan_s": "makespan", "executed_at": "executedAt"},
):
    """The workflow: in two parts from 1.5 on, in one list before."""

    specification: Specification | None = None
    execution: Execution | None = None
    tasks: list[Raw] | None = None
    jobs: list[Raw] | None = None
    makespan_s: float | None = None
    old_makespan_s: float | None = None
    executed_at: str | None = None
    machines: list[MachineObject] | None = None


class System(Struct):
    """The workflow system that executed it."""

    name: str | None = None
    version: str | None = None


class Document(Struct, rename={"schema_version": "schemaVersion", "runtime_system": "runtimeSystem"}):
    """A whole file."""

    workflow: Workflow
    name: str | None = None
    schema_version: str | None = None
    runtime_system: System | None = None
    wms: System | None = None


_DOCUMENT = msgspec.json.Decoder(Document)
SPECIFIED_TASK = msgspec.json.Decoder(SpecifiedTask)
EXECUTED_TASK = msgspec.json.Decoder(ExecutedTask)
SPECIFIED_FILE = msgspec.json.Decoder(SpecifiedFile)
LISTED_TASK = msgspec.json.Decoder(ListedTask)
_MALFORMED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def read_document(content: bytes) -> Document:
    """Return a file, the entries of its long lists still bytes.

    Raises:
        UnreadableFileError: It is no WfFormat, or of a version that is not known.
    """
    try:
        found = _DOCUMENT.decode(content)
    except _MALFORMED as error:
        raise UnreadableFileError(_sentence("", error)) from error
    version = found.schema_version or "1"
    if version.partition(".")[0] != "1":
        raise UnreadableFileError(f"its schemaVersion is {version[:40]!r}, and 1.0 to 1.6 can be read.")
    return found


def entries(decoder: msgspec.json.Decoder[Kind], raws: Sequence[Raw], where: str) -> Iterator[Kind]:
    """Yield the entries of a list, one by one.

    Raises:
        UnreadableFileError: One has not the form it must have; ``where`` is what the list is called.
    """
    decode = decoder.decode
    number = 0
    try:
        for number, raw in enumerate(raws):  # noqa: B007  for the sentence
            yield decode(raw)
    except _MALFORMED as error:
        raise UnreadableFileError(_sentence(f"{where}[{number}]", error)) from error


def _sentence(where: str, error: Exception) -> str:
    """Return what is wrong and where, as the end of a sentence.

    Examples:
        >>> _sentence("tasks[3]", ValueError("Expected `str`, got `int` - at `$.id`"))
        'in tasks[3].id: expected `str`, got `int`.'
    """
    if isinstance(error, UnicodeDecodeError):
        return f"{f'in {where}: ' if where else ''}it holds bytes that are no UTF-8."
    if isinstance(error, RecursionError):
        return f"{f'in {where}: ' if where else ''}it is nested too deeply."
    what, _, path = str(error).partition(" - at `$")
    place = f"{where}{path.rstrip('`')}".lstrip(".")
    what = what if what[1:2].isupper() else what[:1].lower() + what[1:]
    return f"in {place}: {what}." if place else f"{what.rstrip('.')}."
