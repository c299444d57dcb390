"""Who could make a file: looked up by the folder of a name, so that many names take little time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from longpole.describe.checks.known_names import known_names
from longpole.describe.complaints import short
from longpole.model.patterns import fill, matcher, parse, places
from longpole.model.workflow import Workflow

# No file has this as its name: it stands for any member.
_ANY = "\x01"


class Producers:
    """The outputs of a workflow's tasks."""

    def __init__(self, workflow: Workflow) -> None:
        """Take a workflow."""
        self._workflow = workflow
        self._tasks: dict[str, str] = {}
        self._patterns: dict[str, list[str]] = defaultdict(list)
        for template in workflow.templates.values():
            for use in template.outputs:
                for pattern in use.patterns:
                    self._tasks.setdefault(pattern, template.name)
                    if places(pattern):
                        self._patterns[_start(pattern)].append(pattern)

    def makes(self, pattern: str) -> bool:
        """Say whether some task may make files of a name or pattern."""
        if pattern in self._tasks:
            return True
        sample = self._sample(pattern)
        return any(
            matcher(made).fullmatch(sample)
            for start in _folders(sample)
            for made in self._patterns.get(start, ())
        ) or (_ANY in sample and any(matcher(pattern).fullmatch(made) for made in self._tasks))

    def names_in_step(self, pattern: str, most: int) -> set[str]:
        """Return the names that a task makes under a pattern whose sets go in step for it; none of others."""
        template = self._workflow.templates.get(self._tasks.get(pattern, ""))
        together = template is not None and any(
            len({*group} & {*places(pattern)}) > 1 for group in template.for_each
        )
        return set(known_names(self._workflow, template, pattern, most)) if template and together else set()

    def near(self, name: str) -> str:
        """Return what a task makes that is not the file but belongs to it, as the rest of a sentence."""
        for above in _folders(name):
            if above and above != name and above in self._tasks:
                task = self._tasks[above]
                return (
                    f"it lies in '{short(above)}', which task '{task}' makes as a whole; take that as input."
                )
        if name.endswith("/"):
            for made, task in self._tasks.items():
                if made.startswith(name):
                    return (
                        f"task '{task}' makes '{short(made)}' in it, and not the directory; take these files."
                    )
        return ""

    def _sample(self, pattern: str) -> str:
        """Return a name that stands for all of a pattern's."""
        there = places(pattern)
        return fill(pattern, dict.fromkeys(there, _ANY)) if there else fill(pattern, {})


def _start(pattern: str) -> str:
    """Return the folder that all names of a pattern lie in."""
    return parse(pattern).literals[0].rpartition("/")[0]


def _folders(name: str) -> Iterator[str]:
    """Return all folders above a name, as starts, and with a slash as directories."""
    yield ""
    parts = name.split("/")
    for count in range(1, len(parts)):
        yield "/".join(parts[:count])
        yield "/".join(parts[:count]) + "/"
