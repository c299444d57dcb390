"""Orders: all that an engine must know to open a job, execute its tasks and put away what they make."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from longpole.model.call_arguments import arguments_for, texts_in
from longpole.model.command_line import CommandLine, Value, plain_text
from longpole.model.patterns import fill, places
from longpole.model.staging import Item
from longpole.model.workflow import Resources, Task, Template, Uses, Workflow
from longpole.plan.expansion import Expansion
from longpole.run.capacity import Waiting
from longpole.run.locations import Locations
from longpole.units import Bytes

LISTS_FOLDER = ".longpole"
JOB_VARIABLE = "LONGPOLE_JOB"
_SHELL = "/bin/sh"
_MOST_FILES = 32
_NONE = Template("")


@dataclass(frozen=True, slots=True)
class Output:
    """A file that a task makes, or a pattern of as many as it makes."""

    name: str
    optional: bool = False
    open: bool = False


@dataclass(slots=True)
class TaskOrder:
    """One task; what is filled in must not be changed any more.

    Attributes:
        task: Its number.
        name: What it is called.
        template: What it is one of.
        arguments: The program and its arguments; none if it is a function.
        call: The function's arguments, if it is one.
        command: What the user wrote, filled in; for messages.
        environment: Variables of its own.
        inputs: Files that must be in the folder before.
        lists: Files with names of files, by their own names, that are made for it.
        outputs: What it makes.
        checkpoints: Files that it continues from if they are there, and leaves for its next attempt.
        unfinished: Files that it leaves for its next attempt, and for nobody else.
        memory_bytes: The most it may use; None: all.
        print: The fingerprint of all that decides what it makes, as it was when its job was opened.
    """

    task: int
    name: str
    template: Template = _NONE
    arguments: tuple[str, ...] = ()
    call: tuple[tuple[Any, ...], dict[str, Any]] | None = None
    command: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[Item, ...] = ()
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    outputs: tuple[Output, ...] = ()
    checkpoints: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()
    memory_bytes: Bytes | None = None
    print: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether it is a program with few files that are linked, and nothing else to be seen to."""
        template = self.template
        return (
            is_plain(template)
            and not self.lists
            and len(self.inputs) <= _MOST_FILES
            and len(self.outputs) <= _MOST_FILES
            and not any(output.open or output.name[-1] == "/" for output in self.outputs)
            and not any(item.url or item.name[-1] == "/" for item in self.inputs)
        )

    @property
    def left(self) -> tuple[str, ...]:
        """What its next attempt can go on from."""
        return (*self.checkpoints, *self.unfinished)

    @property
    def needs_folder(self) -> bool:
        """Whether it has anything to do with files."""
        return bool(self.inputs or self.outputs or self.lists or self.left or self.template.image)


def is_plain(template: Template) -> bool:
    """Say whether tasks of a template are programs of one core that nothing else has to be seen to."""
    needs = template.resources
    return (
        template.call is None
        and needs.cores == 1
        and not needs.gpus
        and needs.memory_bytes is None
        and not (template.image or template.checkpoints or template.unfinished or template.timeout_s)
    )


def needs_of(template: Template) -> Resources:
    """Return what a task needs: of one that an engine always has waiting for a worker, as such."""
    needs = template.resources
    few = sum(len(uses.patterns) for uses in (*template.inputs, *template.outputs)) <= _MOST_FILES
    bound = set(template.sets)
    fixed = all(
        bound.issuperset(places(pattern)) and not pattern.endswith("/")
        for uses in (*template.inputs, *template.outputs)
        for pattern in uses.patterns
    )
    called = template.call is not None and not template.timeout_s and needs == Resources()
    if called or (is_plain(template) and few and fixed and ".list}" not in template.command):
        return Waiting(needs.cores, needs.memory_bytes, needs.gpus, needs.nodes, needs.ranks)
    return needs


class _Plan:
    """What is the same for all tasks of a template, found out once."""

    __slots__ = ("line", "lists", "others", "plain", "template")

    def __init__(self, template: Template, workflow: Workflow) -> None:
        self.template = template
        self.line: CommandLine | None = None
        declared = {*workflow.parameters, *template.sets, "program"}
        for uses in (*template.inputs, *template.outputs):
            declared |= {uses.name, f"{uses.name}.list"}
        if template.call is None:
            self.line = CommandLine(template.command, declared)
        self.lists = [
            (place, uses.name)
            for place, uses in enumerate((*template.inputs, *template.outputs))
            if uses.name and f"{{{uses.name}.list}}" in _texts(template)
        ]
        # Of a command without names nothing has to be filled in.
        words = self.line.words({}) if self.line is not None and not self.line.names else None
        self.plain = tuple(words) if words else None
        self.others = (*template.code, *((template.program,) if template.program else ()))


class Orders:
    """Makes orders for the tasks of one run."""

    def __init__(self, expansion: Expansion, locations: Locations, values: Mapping[int, bytes]) -> None:
        """Take the tasks, where their files are, and what functions have returned so far."""
        self._expansion = expansion
        self._workflow: Workflow = expansion.workflow
        self._locations = locations
        self._values = values
        self._plans: dict[str, _Plan] = {}
        every = (uses for template in self._workflow.templates.values() for uses in template.outputs)
        self._optional = any(uses.optional for uses in every)
        self._parameters = {key: _shown(value) for key, value in expansion.workflow.parameters.items()}

    def task(self, number: int, memory_bytes: Bytes | None) -> TaskOrder:
        """Return the order for a task, which may use so much memory; None: all."""
        order = self.outline(number)
        order.memory_bytes = memory_bytes
        task, plan = self._expansion.tasks[number], self._plans[order.template.name]
        if plan.plain is not None and not order.template.environment:
            order.arguments, order.command = plan.plain, order.template.command
        else:
            self._fill(order, task, plan)
        return order

    def outline(self, number: int) -> TaskOrder:
        """Return a task with its files, but without what it executes, which may not be known yet."""
        task = self._expansion.tasks[number]
        template = task.template
        plan = self._plans.get(template.name)
        if plan is None:
            plan = self._plans[template.name] = _Plan(template, self._workflow)
        order = TaskOrder(number, task.name)
        order.template = template
        order.inputs = self._inputs(task, plan)
        order.outputs = self._outputs(task)
        if plan.lists:
            files = (*task.inputs, *task.outputs)
            order.lists = {
                _list_of(task, name): tuple(map(_safe, files[place])) for place, name in plan.lists
            }
        if template.checkpoints:
            order.checkpoints = tuple(fill(pattern, task.members) for pattern in template.checkpoints)
        if template.unfinished:
            order.unfinished = tuple(fill(pattern, task.members) for pattern in template.unfinished)
        return order

    def _fill(self, order: TaskOrder, task: Task, plan: _Plan) -> None:
        template, values = task.template, self._names(task)
        values.update({f"{name}.list": _list_of(task, name) for _, name in plan.lists})
        order.environment = {key: plain_text(text, values) for key, text in template.environment.items()}
        if template.call is not None:
            order.call = arguments_for(template.call, lambda name: self._result(name, order.task), values)
            order.command = f"{template.name}(...)"
            return
        assert plan.line is not None
        words = plan.line.words(values)
        order.command = plan.line.fill(values) if words is None else " ".join(words)
        order.arguments = (_SHELL, "-ec", order.command) if words is None else tuple(words)

    def _names(self, task: Task) -> dict[str, Value]:
        """Return what a command may name: of what can only ever be one file, its name, else a list."""
        template = task.template
        values: dict[str, Value] = {**self._parameters, **task.members}
        for uses, names in (
            *zip(template.inputs, task.inputs, strict=True),
            *zip(template.outputs, task.outputs, strict=True),
        ):
            if uses.name:
                safe = [_safe(name) for name in names]
                values[uses.name] = safe[0] if _is_one(uses, task) and safe else safe
        values["program"] = template.program
        return values

    def _inputs(self, task: Task, plan: _Plan) -> tuple[Item, ...]:
        source = self._locations.source
        if not task.inputs:
            return tuple(map(source, plan.others)) if plan.others else ()
        names = dict.fromkeys(name for names in task.inputs for name in names)
        if self._optional:
            names = {name: None for name in names if not self._is_absent(name)}
        names.update(dict.fromkeys(plan.others))
        return tuple(map(source, names))

    def _is_absent(self, name: str) -> bool:
        """Return whether a file is one that its task need not make, and has not made."""
        maker = self._expansion.makers.get(name)
        if maker is None or self._locations.made(name) is not None:
            return False
        task = self._expansion.tasks[maker]
        optional = (uses.optional for uses in task.template.outputs)
        return any(name in names for names, one in zip(task.outputs, optional, strict=True) if one)

    def _outputs(self, task: Task) -> tuple[Output, ...]:
        if not task.template.outputs:
            return ()
        found = []
        for place, uses in enumerate(task.template.outputs):
            found += [Output(name, uses.optional) for name in task.outputs[place]]
            found += [Output(pattern, open=True) for pattern in (task.many[place] if task.many else ())]
        return tuple(found)

    def _result(self, template: str, number: int) -> Any:  # noqa: ANN401  whatever a user's function returns
        """Return what another function has returned: one value, or a list if it ran for several members."""
        found = self._expansion.results_for(number, template)
        values = [msgspec.msgpack.decode(self._values[task]) for task in found]
        members = self._expansion.tasks[number].members
        one = len(values) == 1 and set(self._workflow.templates[template].sets) <= members.keys()
        return values[0] if one else values


def _shown(value: object) -> Value:
    return [str(each) for each in value] if isinstance(value, list | tuple) else str(value)


def _safe(name: str) -> str:
    """Return a name that no program takes for an option."""
    return f"./{name}" if name.startswith("-") else name


def _list_of(task: Task, name: str) -> str:
    """Return where a list lies: tasks of a cluster share their folder, and some of them run at once."""
    members = "\0".join(task.members.values()).encode(errors="surrogateescape")
    mark = f"-{hashlib.blake2s(members, digest_size=4).hexdigest()}" if members else ""
    return f"{LISTS_FOLDER}/{task.template.name}{mark}/{name}.list"


def _is_one(uses: Uses, task: Task) -> bool:
    """Return whether a name always stands for one file."""
    return len(uses.patterns) == 1 and all(place in task.members for place in places(uses.patterns[0]))


def _texts(template: Template) -> str:
    """Return all of a template that may ask for lists."""
    asking = texts_in(template.call) if template.call is not None else (template.command,)
    return " ".join([*asking, *template.environment.values()])


def folder_of(scratch: str, number: int, attempt: int) -> str:
    """Return the folder of an attempt of a job."""
    return os.path.join(scratch, f"{number}.{attempt}")
