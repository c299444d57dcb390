"""What a program may say about a task when it describes a workflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

Names = str | Sequence[str]
Files = str | Sequence[str | Mapping[str, Names]] | Mapping[str, Names | Mapping[str, Names]]
Sets = str | Sequence[str | Mapping[str, Sequence[str]]] | Mapping[str, Sequence[str]]


class TaskOptions(TypedDict, total=False):
    """Keywords of a task.

    Attributes:
        for_each: Sets that it is fanned out over: names, or ``{"zip": ["a", "b"]}`` for sets that go in step.
        inputs: Names or patterns of files: one, a list, or a map that gives names to them.
        outputs: The same; ``{"optional": "notes.txt"}`` for one that need not be there.
        after: Tasks that come before it though they hand no file over.
        code: Files that it needs beside its program.
        program: The file that it executes; the command calls it ``{program}``.
        checkpoints: Files that it continues from, and leaves for its next attempt.
        unfinished: Files that an attempt of it leaves for the next one; gone once it is done.
        environment: Variables.
        image: A container image.
        cluster: A label: tasks of one label may run as one job.
        cores: How many cores it needs.
        memory: How much memory it needs, such as ``"2 GB"``.
        gpus: How many GPUs it needs.
        nodes: How many nodes it needs.
        ranks: How many ranks it has.
        retry: How often it is tried again, or ``{"times": 2, "memory": "x2"}``.
        timeout: When it is stopped, such as ``"90 min"``.
    """

    for_each: Sets
    inputs: Files
    outputs: Files
    after: Names
    code: Names
    program: str
    checkpoints: Names
    unfinished: Names
    environment: Mapping[str, str | int | float]
    image: str
    cluster: str
    cores: int
    memory: str
    gpus: int
    nodes: int
    ranks: int
    retry: int | Mapping[str, int | float | str]
    timeout: str
