"""Inputs that are nowhere: no task makes them, and they are neither in the folder nor at a place told.

Names of members that are known later only (``glob``, ``from``) cannot be checked beforehand, except that some
task must make files of such a name at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from longpole.describe.checks.known_names import known_names
from longpole.describe.checks.producers import Producers
from longpole.describe.complaints import short
from longpole.describe.problems import Problems
from longpole.model.patterns import doubled, fill, places
from longpole.model.text import visible
from longpole.model.workflow import Template, Uses, Workflow

_MOST_NAMES = 200_000


def check_inputs(workflow: Workflow, exists: Callable[[str], bool]) -> None:
    """Check that every input is made by a task or is there, and code and programs too.

    Args:
        workflow: The workflow.
        exists: Says whether a file that no task makes is there, by its logical name; see ``found_in``.

    Raises:
        WorkflowError: Some are not; one sentence on each line.
    """
    problems, producers = Problems(), Producers(workflow)
    for template in workflow.templates.values():
        problems.extend(_missing_code(workflow, template, exists))
        for use in template.inputs:
            problems.extend(_missing(workflow, template, use, (producers, exists)))
    problems.complain()


def found_in(workflow: Workflow) -> Callable[[str], bool]:
    """Return what says whether a file is there: at the place that is told for it, or in the folder.

    What has an address is taken to be there: it can be fetched.
    """

    def exists(name: str) -> bool:
        place = workflow.files.get(name)
        if place is not None and place.url:
            return True
        return os.path.exists(os.path.join(workflow.folder, place.path if place else name))

    return exists


def _missing(
    workflow: Workflow, template: Template, use: Uses, known: tuple[Producers, Callable[[str], bool]]
) -> Iterator[str]:
    producers, exists = known
    first, count = "", 0
    for pattern in use.patterns:
        for name in _unmade(workflow, template, pattern, producers):
            if places(name) or not exists(fill(name, {})):
                first, count = first or _shown(name), count + 1
    if count:
        more = f" (and {count - 1:,} more of its inputs)" if count > 1 else ""
        reason = producers.near(first) or _nowhere(workflow, first, workflow.if_missing)
        yield f"{workflow.at(use.line)}Task '{template.name}' needs '{short(first)}'{more}: {reason}"


def _unmade(workflow: Workflow, template: Template, pattern: str, producers: Producers) -> Iterator[str]:
    """Return the names of a pattern that no task makes, as patterns."""
    if _is_looked_up(workflow, pattern):
        return
    some = producers.names_in_step(pattern, _MOST_NAMES)
    if some:
        every = known_names(workflow, template, pattern, _MOST_NAMES)
        yield from (doubled(name) for name in every if name not in some)
    elif not producers.makes(pattern):
        yield from (name for name in _names(workflow, template, pattern) if not producers.makes(name))


def _missing_code(workflow: Workflow, template: Template, exists: Callable[[str], bool]) -> Iterator[str]:
    for name in (*template.code, template.program):
        if name and not exists(fill(name, {})):
            here = f"{workflow.at(template.line)}Task '{template.name}' needs '{short(name)}'"
            yield f"{here}: {_nowhere(workflow, name)}"


def _nowhere(workflow: Workflow, name: str, advice: str = "") -> str:
    place = workflow.files.get(name)
    if place:
        path = short(os.path.join(workflow.folder, place.path))
        return f"it should lie at {path}, and is not there. {visible(advice)}".rstrip()
    advice = visible(advice) or "Put it there, or say under 'files' where it lies."
    return f"no task makes it, and it is not in {short(workflow.folder)}. {advice}"


def _is_looked_up(workflow: Workflow, pattern: str) -> bool:
    """Say whether the members of a pattern come from the files in a folder: then there is nothing to miss."""
    return any(workflow.sets[place].glob for place in places(pattern))


def _names(workflow: Workflow, template: Template, pattern: str) -> list[str]:
    """Return the names of a pattern as patterns, where its members are known; if not, the pattern."""
    if not places(pattern):
        return [pattern]
    if any(workflow.sets[place].listed is None for place in places(pattern)):
        return [pattern]
    return [doubled(name) for name in known_names(workflow, template, pattern, _MOST_NAMES)]


def _shown(pattern: str) -> str:
    """Return a pattern as messages have it: a name, if it is one."""
    return pattern if places(pattern) else fill(pattern, {})
