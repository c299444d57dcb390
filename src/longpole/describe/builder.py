"""Workflows that a program describes: the same keys, checks and sentences as in a YAML file.

Nothing is looked at until ``build``: what a program says is kept as it is, and then read as a file would be.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, Unpack

from longpole.describe.lined import LinedMap
from longpole.describe.needs import RESOURCES
from longpole.describe.options import Names, TaskOptions
from longpole.describe.workflows import VERSION, described
from longpole.model.workflow import Result, WorkflowError
from longpole.model.workflow import Workflow as Described

Members = Iterable[str | float]


class Workflow:
    """A workflow in the making.

    Examples:
        >>> workflow = Workflow("tiles")
        >>> workflow.set("part", values=["aa", "ab"])
        >>> workflow.task(
        ...     "count",
        ...     run="wc -c {src} > {out}",
        ...     for_each="part",
        ...     inputs={"src": "data/{part}.txt"},
        ...     outputs={"out": "counts/{part}.txt"},
        ... )
        >>> workflow.build().templates["count"].command
        'wc -c {src} > {out}'
    """

    def __init__(self, name: str, folder: str | Path | None = None) -> None:
        """Begin a workflow.

        Args:
            name: What it is called.
            folder: Where its files lie; the folder of the program that calls this, if nothing is said.
        """
        caller = sys._getframe(1)
        self._code_file = caller.f_code.co_filename
        self._file = str(caller.f_globals.get("__file__", ""))
        near = Path(self._file).parent if self._file else Path()
        self._folder = str(Path(near if folder is None else folder).absolute())
        self._keys: dict[str, object] = {"longpole": VERSION, "name": name}
        self._parts = {key: LinedMap() for key in ("parameters", "sets", "tasks", "files")}

    def parameters(self, **values: object) -> None:
        """Give parameters: texts, numbers, true, false or lists of them that ``{name}`` stands for."""
        self._parts["parameters"].update(values)

    def parameters_unless_given(self, values: Mapping[str, object]) -> None:
        """Give parameters that have no value yet."""
        self.parameters(
            **{name: each for name, each in values.items() if name not in self._parts["parameters"]}
        )

    def defaults(self, **options: Unpack[TaskOptions]) -> None:
        """Say what holds for all tasks that say nothing else: image, environment, resources and retry."""
        self._keys.update(_nested(dict(options)))

    def set(  # noqa: PLR0913  one for each key of a description
        self, name: str, *, values: Members | Mapping[str, Members] | str | None = None, within: str = "",
        glob: str = "", made: str = "", on_unreadable: str = "",
    ) -> None:  # fmt: skip
        """Give a set that tasks are fanned out over; exactly one of values, glob and made.

        Args:
            name: What patterns call a member, ``{name}``.
            values: Its members; with ``within``, a map that has them for each member of that set.
            within: The set to whose members they belong.
            glob: A pattern of files that are looked up when the run starts, ``data/{image}.jpg``.
            made: A pattern of files that a task makes, ``tiles/{tile}.png``.
            on_unreadable: What becomes of a file of ``glob`` that cannot be read: ``fail`` or ``drop``.
        """
        told = {"within": within, "glob": glob, "from": made, "on_unreadable": on_unreadable}
        entry: dict[str, object] = {key: text for key, text in told.items() if text}
        if isinstance(values, Mapping):
            entry["values"] = {owner: list(members) for owner, members in values.items()}
        elif values is not None:
            entry["values"] = values if isinstance(values, str) else list(values)
        self._put("sets", name, entry)

    def task(self, name: str, run: str, **options: Unpack[TaskOptions]) -> None:
        """Give a task that runs a command."""
        self._put("tasks", name, {"run": run, **_nested(dict(options))})

    def call(
        self,
        name: str,
        function: Callable[..., object] | str,
        *arguments: Any,  # noqa: ANN401
        **options: Any,  # noqa: ANN401
    ) -> Result:
        """Give a task that calls a function, in a worker process.

        Args:
            name: What the task is called.
            function: A function at the top of a module, or ``"module:name"``.
            arguments: What it is called with: values, ``"{png}"`` for files and members, results of calls.
            options: What may be said about any task; all other keywords are the function's.

        Returns:
            What it will return, to be an argument of later calls.
        """
        keywords = {key: options.pop(key) for key in list(options) if key not in TaskOptions.__annotations__}
        entry = {"function": function, **_nested(options)}
        if arguments:
            entry["arguments"] = arguments
        if keywords:
            entry["keywords"] = keywords
        self._put("tasks", name, entry)
        return Result(name)

    def file(
        self,
        name: str,
        *,
        path: str | Path = "",
        url: str = "",
        bytes: int | str | None = None,  # noqa: A002  as the key of a file is called
    ) -> None:
        """Say where a file lies that no task makes: a path, an address, and how large it is."""
        told = {"path": str(path) if path else None, "url": url or None, "bytes": bytes}
        self._put("files", name, {key: value for key, value in told.items() if value is not None})

    def if_missing(self, advice: str) -> None:
        """Say what a user is to do where files from outside are not there."""
        self._keys["if_missing"] = advice

    def results(self, *names: Names) -> None:
        """Say which files are wanted in the end."""
        known = self._keys.setdefault("results", [])
        assert isinstance(known, list)
        for each in names:
            known.extend([each] if isinstance(each, str) else each)

    def build(self) -> Described:
        """Return the workflow, checked.

        Raises:
            WorkflowError: It cannot be; one sentence on each line.
        """
        values = {**self._keys, **{key: part for key, part in self._parts.items() if part}}
        return described(values, self._file, self._folder, {})

    def _put(self, part: str, name: str, entry: dict[str, object]) -> None:
        line = self._line_of(sys._getframe(2))
        where = f"{self._file}:{line}: " if self._file and line else ""
        if not isinstance(name, str):
            raise WorkflowError(f"{where}{part}: A name must be a text, not a {type(name).__name__}.")
        if name in self._parts[part]:
            raise WorkflowError(f"{where}{part}.{name}: This name is given a second time; keep one.")
        self._parts[part][name] = entry
        self._parts[part].lines[name] = line

    def _line_of(self, caller: FrameType) -> int:
        """Return the line that calls, if it is in the file that the workflow is called by."""
        return caller.f_lineno if caller.f_code.co_filename == self._code_file else 0


def _nested(options: dict[str, Any]) -> dict[str, Any]:
    """Return options as a file has them: resources in a map of their own."""
    resources = {key: options.pop(key) for key in RESOURCES if key in options}
    return {**options, "resources": resources} if resources else options
