"""Workflows in a few lines, for tests of the planner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from longpole.model.workflow import NamedSet, Template, Uses, Workflow


def task(name: str, used: Iterable[str] = (), made: Iterable[str] = (), **more: Any) -> Template:
    """Return a template whose inputs and outputs have no names."""
    inputs = tuple(Uses("", (pattern,)) for pattern in used)
    outputs = tuple(Uses("", (pattern,)) for pattern in made)
    return Template(name, command=f"run {name}", inputs=inputs, outputs=outputs, **more)


def workflow(*parts: Template | NamedSet, **more: Any) -> Workflow:
    """Return a workflow of templates and sets; its folder is nowhere."""
    templates = {part.name: part for part in parts if isinstance(part, Template)}
    sets = {part.name: part for part in parts if isinstance(part, NamedSet)}
    return Workflow(**{"name": "made", "folder": "/nowhere", "templates": templates, "sets": sets, **more})


def values(name: str, *members: str) -> NamedSet:
    """Return a set that is known beforehand."""
    return NamedSet(name, values=members)


def grouped(name: str, within: str, members: Mapping[str, tuple[str, ...]]) -> NamedSet:
    """Return a set whose members belong to those of another."""
    return NamedSet(name, grouped=members, within=within)


def tiles() -> Workflow:
    """Return the workflow that cuts a picture in as many tiles as it likes, and sums their scores."""
    return workflow(
        NamedSet("tile", made="tiles/{tile}.png"),
        task("cut", ["raw.png"], ["tiles/{tile}.png"], code=("cut.py",)),
        task("score", ["tiles/{tile}.png"], ["scores/{tile}.txt"], for_each=(("tile",),)),
        task("total", ["scores/{tile}.txt"], ["total.txt"]),
        results=("total.txt",),
    )
