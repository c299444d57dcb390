"""A workflow as its author describes it: tasks over logical files, fanned out over named sets.

A logical file has a name: a relative path with forward slashes; one that ends in a slash is a directory. A
pattern is a name with places for members of sets in it, ``tiles/{tile}.png``. What is described once and runs
for every member of a set is a template; each thing that runs is a task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from longpole.errors import LongpoleError
from longpole.units import Bytes


class WorkflowError(LongpoleError):
    """A workflow that cannot be; the sentence names the file and the line, where it has them."""


class Unreadable(StrEnum):
    """What becomes of a member of a set whose file cannot be read."""

    FAIL = "fail"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file lies that no task makes.

    Attributes:
        path: A path; relative ones are seen from the workflow's folder. Empty where there is only an address.
        url: Where it can be fetched, ``http://`` or ``https://``; empty where there is none.
        size_bytes: How large it is, where the author says so.
    """

    path: str = ""
    url: str = ""
    size_bytes: Bytes | None = None


@dataclass(frozen=True, slots=True)
class NamedSet:
    """A domain that tasks are fanned out over. One of values, grouped, glob and made tells its members.

    Attributes:
        name: What patterns call a member, as ``{tile}``.
        values: The members, where they are known beforehand.
        glob: A pattern of files outside the workflow that are looked up when the run starts.
        made: A pattern of files that a task makes: known when it has run. It may hold places of other sets:
            then its members belong to theirs.
        unreadable: What becomes of a file of ``glob`` that cannot be read.
        line: Where it is described; 0 where there is no file.
        grouped: The members for each member of the set ``within``, where they are known beforehand.
        within: The set to whose members those of ``grouped`` belong.
    """

    name: str
    values: tuple[str, ...] | None = None
    glob: str = ""
    made: str = ""
    unreadable: Unreadable = Unreadable.FAIL
    line: int = 0
    grouped: Mapping[str, tuple[str, ...]] | None = None
    within: str = ""

    @property
    def listed(self) -> tuple[str, ...] | None:
        """All members, each once, where they are known beforehand; else None."""
        if self.grouped is None:
            return self.values
        return tuple(dict.fromkeys(member for members in self.grouped.values() for member in members))


@dataclass(frozen=True, slots=True)
class Uses:
    """Files that a task uses, or makes, under one name.

    Attributes:
        name: What the command calls them, ``{name}``; empty where it does not.
        patterns: Which files. As an input, a set in a pattern that the task is not fanned out over means: for
            all members of it. As an output too, where they are known before it runs; of a set that is known
            by what tasks make it means: as many as the task makes.
        optional: As an output: it need not be there.
        line: Where it is described; 0 where there is no file.
    """

    name: str
    patterns: tuple[str, ...]
    optional: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class Resources:
    """What one task needs while it runs; memory is None where nothing is said."""

    cores: int = 1
    memory_bytes: Bytes | None = None
    gpus: int = 0
    nodes: int = 1
    ranks: int = 1

    def __post_init__(self) -> None:
        """Check that it can be."""
        if self.cores < 1 or self.nodes < 1 or self.ranks < 1 or self.gpus < 0:
            raise WorkflowError(
                f"A task needs at least one core, node and rank, and no negative GPUs: {self}."
            )
        if self.memory_bytes is not None and self.memory_bytes <= 0:
            raise WorkflowError("A task cannot need no memory at all.")


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a failed task is tried again, and by how much its memory grows when that ran out."""

    times: int = 0
    memory_factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Result:
    """As an argument of a function: what the function of another task has returned."""

    template: str


@dataclass(frozen=True, slots=True)
class Call:
    """A Python function as a task: called in a warm worker process.

    Attributes:
        function: What is called.
        arguments: Plain values, texts with places of sets and files as in commands (``"{png}"``), or results;
            within lists and maps too. ``call_arguments`` puts into them what they stand for.
        keywords: The same, by name.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Template:
    """A task as it is described, once for all members of the sets it is fanned out over.

    Attributes:
        name: What it is called; also the type of its tasks.
        command: A command line for a shell, with places for names in braces; empty if it is a call.
        call: A function, if it is no command.
        for_each: Sets it is fanned out over: the product of groups; sets of one group go in step.
        inputs: Files that must be there before it runs.
        outputs: Files that it makes.
        after: Tasks that come before it though they hand no file over, by the names of their templates.
        code: Files of the workflow's own folder that it needs beside its program.
        program: The file that it executes, where that is sent along; the command calls it ``{program}``.
        checkpoints: Files that it continues from if they are there, and leaves for its next attempt.
        unfinished: Files that an attempt of it leaves for the next one; gone once it is done.
        environment: Variables, added to those of the run; names in braces are replaced as in commands, but
            not quoted.
        image: The container image it runs in; empty: none.
        cluster: A label: tasks of one label may run as one job. A pattern: it may hold places of the sets
            that the task is fanned out over.
        resources: What it needs.
        retry: What happens when it fails.
        timeout_s: When it is stopped; None: never.
        line: Where it is described; 0 where there is no file.
    """

    name: str
    command: str = ""
    call: Call | None = None
    for_each: tuple[tuple[str, ...], ...] = ()
    inputs: tuple[Uses, ...] = ()
    outputs: tuple[Uses, ...] = ()
    after: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    program: str = ""
    checkpoints: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    image: str = ""
    cluster: str = ""
    resources: Resources = Resources()
    retry: Retry = Retry()
    timeout_s: float | None = None
    line: int = 0

    @property
    def sets(self) -> tuple[str, ...]:
        """All sets that it is fanned out over."""
        return tuple(name for group in self.for_each for name in group)


@dataclass(frozen=True, slots=True)
class Workflow:
    """Tasks over files.

    Attributes:
        name: What it is called.
        folder: Where it is described, absolute: paths of files, code and programs are seen from here.
        file: The file that describes it, for messages; empty if it was made by a program.
        parameters: What was chosen, as text; several texts for a list. Commands, variables and arguments may
            name them; in patterns they have been replaced.
        sets: Named domains, by name.
        templates: Tasks as described, by name, in the order of the description.
        files: Where files lie that no task makes, by their logical names; others lie in the folder.
        results: Patterns of the files that a user wants in the end.
        results_line: Where these are described; 0 where there is no file.
        if_missing: What its author tells to do where files from outside are not there; empty: nothing.
    """

    name: str
    folder: str
    file: str = ""
    parameters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    sets: Mapping[str, NamedSet] = field(default_factory=dict)
    templates: Mapping[str, Template] = field(default_factory=dict)
    files: Mapping[str, Place] = field(default_factory=dict)
    results: tuple[str, ...] = ()
    results_line: int = 0
    if_missing: str = ""

    def at(self, line: int) -> str:
        """Return where something is described, as a message begins: ``tiles.yaml:7: ``."""
        return f"{self.file}:{line}: " if self.file and line else f"{self.file}: " if self.file else ""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing that runs: a template for one member of each of its sets.

    Attributes:
        name: The template's name, and the members: ``score tile=a``.
        template: What it is one of.
        members: The member of each set it is for.
        inputs: Names of its files, for each of the template's inputs.
        outputs: Names of the files it makes, for each of the template's outputs.
        many: Patterns of which it makes as many files as it likes, for each of the template's outputs; the
            places of its own sets are filled.
    """

    name: str
    template: Template
    members: Mapping[str, str]
    inputs: tuple[tuple[str, ...], ...]
    outputs: tuple[tuple[str, ...], ...]
    many: tuple[tuple[str, ...], ...] = ()
