"""The order of types of task as text: chains with arrows, and Graphviz.

Method: an arrow that others imply is left out (the transitive reduction). Chains then follow the arrows, each
once: a chain ends where one that is written already goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from longpole.model.plan import Plan, TaskType
from longpole.model.text import one_line

_DEEPER = "   "


def chains(types: Sequence[TaskType], arrow: str, width: int) -> list[str]:
    """Return the graph of types in lines of at most so many characters, unless a name is longer."""
    behind = _behind(types)
    known = {each.name: each for each in types}
    written: set[str] = set()
    lines: list[str] = []
    for chain in _followed(behind):
        words = [_word(known[name], first=name not in written) for name in chain]
        written.update(chain)
        lines += _broken(words, arrow, width)
    return lines


def graphviz(plan: Plan) -> str:
    """Return the graph of types as Graphviz reads it, clusters in boxes."""
    lines = [f"digraph {_quoted(plan.workflow)} {{", "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    boxes: dict[str, list[TaskType]] = {}
    for each in plan.types:
        boxes.setdefault(each.cluster if str(plan.clustering) == "label" else "", []).append(each)
    for number, (label, types) in enumerate(boxes.items()):
        nodes = [f"{_quoted(each.name)} [label={_quoted(_label(each))}];" for each in types]
        if label:
            head = [f"subgraph cluster_{number} {{", f"  label={_quoted(label)};"]
            nodes = [*head, *(f"  {node}" for node in nodes), "}"]
        lines += [f"  {node}" for node in nodes]
    for name, later in _behind(plan.types).items():
        lines += [f"  {_quoted(name)} -> {_quoted(other)};" for other in later]
    return "\n".join([*lines, "}", ""])


def _behind(types: Sequence[TaskType]) -> dict[str, list[str]]:
    """Return for each type those that wait for it and for nothing else behind it."""
    before: dict[str, set[str]] = {}
    behind: dict[str, list[str]] = {each.name: [] for each in types}
    for each in types:  # each comes behind all that it waits for
        implied = {far for near in each.before for far in before[near]}
        before[each.name] = implied | set(each.before)
        for near in each.before:
            if near not in implied:
                behind[near].append(each.name)
    return behind


def _followed(behind: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Yield chains that together have every arrow once, and every type."""
    left = {name: list(later) for name, later in behind.items()}
    seen: set[str] = set()
    for name in behind:
        while left[name] or name not in seen:
            chain = [name]
            while chain[-1] not in seen or len(chain) == 1:
                seen.add(chain[-1])
                if not left[chain[-1]]:
                    break
                chain.append(left[chain[-1]].pop(0))
            yield chain


def _word(each: TaskType, *, first: bool) -> str:
    return f"{one_line(each.name)}{_times(each)}" if first else one_line(each.name)


def _times(each: TaskType) -> str:
    return " ×?" if each.tasks is None else f" ×{each.tasks:,}" if each.tasks != 1 else ""


def _broken(words: Sequence[str], arrow: str, width: int) -> Iterator[str]:
    """Yield a chain in as many lines as it needs."""
    line = words[0]
    for word in words[1:]:
        if len(line) + len(arrow) + len(word) + 2 > width:
            yield line
            line = f"{_DEEPER}{arrow} {word}"
        else:
            line = f"{line} {arrow} {word}"
    yield line


def _label(each: TaskType) -> str:
    return f"{each.name}{_times(each)}"


def _quoted(text: str) -> str:
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
