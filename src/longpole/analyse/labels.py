"""What to call phases: those of a task by its type, processes by their program, others by their name.

A process that runs a script is called by it: ``python fit.py``. One that has given itself a name, as workers
that load data do, keeps it. Words that no phase is called by are left out: a run of a million tasks has a
million names, and few types.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from longpole.analyse.arrays import known, places, whole
from longpole.analyse.blame import Labels
from longpole.analyse.graph import Whole
from longpole.analyse.processes import program_called
from longpole.analyse.tree import NONE, Tree
from longpole.analyse.values import whole as whole_number
from longpole.model.columns import Columns

# What numbers steps of a profiler, as in ProfilerStep#5: they are of one kind.
_NUMBER = re.compile(r"#\d+$")
# Phases that are called by the type of their task.
_OF_TASK = ("job", "hold", "queue", "exec", "submitted", "stage_in", "stage_out", "post", "container")


def labels_of(tree: Tree, tasks: Columns) -> Labels:
    """Return what to call phases.

    Args:
        tree: The phases of the run.
        tasks: Columns ``id`` and ``type``, one row for each task.
    """
    types = tasks["type"].words or ("",)
    type_of = _type_of(tree, tasks, types)
    codes = np.where(type_of == NONE, tree.name, len(tree.names) + type_of)
    used, firsts, numbered = np.unique(codes, return_index=True, return_inverse=True)
    # Names come in their order, then types as they first occur.
    order = np.argsort(np.where(used < len(tree.names), used, len(tree.names) + firsts))
    words = [_word(tree, types, code) for code in used[order].tolist()]
    return Labels(np.argsort(order)[numbered], tuple(words))


def with_programs(tree: Tree, programs: Columns) -> Tree:
    """Return the tree with processes called by their programs.

    Args:
        tree: The phases of the run.
        programs: Columns ``process``, ``name`` and ``command``.
    """
    called = {
        whole_number(row["process"]): process_called(str(row["name"] or ""), str(row["command"] or ""))
        for row in programs.records()
    }
    names, name = {word: at for at, word in enumerate(tree.names)}, tree.name.copy()
    for place in tree.places_of_kind("process").tolist():
        program = called.get(int(tree.process[place]))
        if program:
            name[place] = names.setdefault(program, len(names))
    return replace(tree, name=name, names=tuple(names))


def process_called(name: str, command: str) -> str:
    """Return what to call a process; its own name if that is not what its command line begins with.

    Examples:
        >>> (
        ...     process_called("python3", "python3 src/fit.py"),
        ...     process_called("pt_data_worker", "python3 fit.py"),
        ... )
        ('python3 fit.py', 'pt_data_worker')
    """
    program = command.split(maxsplit=1)[0].rpartition("/")[2] if command.split() else ""
    begins = bool(program) and bool(name) and program.startswith(name)
    return program_called(name, command) if begins else name


def _type_of(tree: Tree, tasks: Columns, types: tuple[str, ...]) -> Whole:
    """Return for each phase the place of its type; ``NONE`` where it is not called by one."""
    found = np.full(len(tree), NONE, np.int64)
    of_task = tree.places_of_kind(*_OF_TASK)
    rows = places(whole(tasks["id"]), tree.task[of_task])
    of_task, rows = of_task[rows != NONE], rows[rows != NONE]
    found[of_task] = np.where(known(tasks["type"]), whole(tasks["type"]), NONE)[rows]
    nameless = [at for at, word in enumerate(types) if not word]
    found[np.isin(found, nameless)] = NONE
    return found


def _word(tree: Tree, types: tuple[str, ...], code: int) -> str:
    if code < len(tree.names):
        return _NUMBER.sub("", tree.names[code])
    return types[code - len(tree.names)]
