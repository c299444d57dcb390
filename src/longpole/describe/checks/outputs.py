"""Outputs: each file has one producer, sets that tasks make are made, results too.

Names are compared as patterns; where all members are known beforehand, also as names, up to a bound. Names
that two tasks make for members found while they run, or beyond the bound, show when the tasks are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from longpole.describe.checks.known_names import known_names
from longpole.describe.complaints import choices, short
from longpole.model.patterns import places
from longpole.model.workflow import Template, Uses, Workflow

_MOST_NAMES = 200_000
Making = tuple[Template, Uses, str]


def output_problems(workflow: Workflow) -> Iterator[str]:
    """Return what is wrong with outputs."""
    making = [
        (template, use, pattern)
        for template in workflow.templates.values()
        for use in template.outputs
        for pattern in use.patterns
    ]
    yield from _twice(workflow, making)
    yield from _inside(workflow, making)
    yield from _external(workflow, making)
    patterns = {pattern for _, _, pattern in making}
    for each in workflow.sets.values():
        if each.made and each.made not in patterns:
            what = f"The set '{each.name}' is told from '{short(each.made)}', which no task makes"
            yield f"{workflow.at(each.line)}{what}; {choices(each.made, _with_places(patterns))}"
    yield from _results(workflow, patterns)


def _twice(workflow: Workflow, making: list[Making]) -> Iterator[str]:
    producers: dict[str, Making] = {}
    for each in making:
        first = producers.setdefault(each[2].rstrip("/"), each)  # one place is a file or a directory
        if first is not each:
            yield _two_producers(workflow, first, each, each[2])
    by_name: dict[str, Making] = {}
    for each in producers.values():
        for name in known_names(workflow, each[0], each[2], _MOST_NAMES - len(by_name)):
            if name in by_name:
                yield _two_producers(workflow, by_name[name], each, name)
                break
            by_name[name] = each


def _two_producers(workflow: Workflow, first: Making, second: Making, name: str) -> str:
    here = workflow.at(second[1].line or second[0].line)
    if first[0] is second[0]:
        return f"{here}Task '{second[0].name}' makes '{short(name)}' twice; its outputs must differ."
    line = first[1].line or first[0].line
    told = f" (line {line})" if workflow.file and line else ""
    return (
        f"{here}Two tasks make '{short(name)}': '{first[0].name}'{told} and '{second[0].name}'. "
        "Give one of them another name."
    )


def _inside(workflow: Workflow, making: list[Making]) -> Iterator[str]:
    """Find what is made in a directory that is made as a whole, or where a file is to be."""
    made = {pattern.rstrip("/"): (template, pattern) for template, _, pattern in making}
    for template, use, pattern in making:
        parts = pattern.rstrip("/").split("/")[:-1]
        for count in range(1, len(parts) + 1):
            other, above = made.get("/".join(parts[:count]), (template, ""))
            if above:
                what = "makes as a whole" if above.endswith("/") else "makes as a file"
                yield (
                    f"{workflow.at(use.line)}Task '{template.name}': '{short(pattern)}' lies in "
                    f"'{short(above)}', which task '{other.name}' {what}; keep one."
                )


def _external(workflow: Workflow, making: list[Making]) -> Iterator[str]:
    for template, use, pattern in making:
        if pattern in workflow.files:
            yield (
                f"{workflow.at(use.line)}Task '{template.name}' makes '{short(pattern)}', and 'files' says "
                "where it lies already; take it out of one of both."
            )


def _results(workflow: Workflow, patterns: set[str]) -> Iterator[str]:
    known: set[str] | None = None
    for result in workflow.results:
        if result in patterns:
            continue
        if known is None:
            known = _names(workflow)
        if places(result) or result not in known:
            here = workflow.at(workflow.results_line)
            yield f"{here}results: No task makes '{short(result)}'; {choices(result, patterns)}"


def _names(workflow: Workflow) -> set[str]:
    names: set[str] = set()
    for template in workflow.templates.values():
        for use in template.outputs:
            for pattern in use.patterns:
                names.update(known_names(workflow, template, pattern, _MOST_NAMES - len(names)))
    return names


def _with_places(patterns: set[str]) -> list[str]:
    return sorted(pattern for pattern in patterns if places(pattern))
