"""New tasks: when a set becomes known they come up, and templates and levels are over when all theirs are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from longpole.model.workflow import WorkflowError
from longpole.plan.expansion import Expansion


class Growth:
    """What is still to come of each template, set and level.

    Attributes:
        refused: Why no more tasks can come up; empty if they can.
    """

    def __init__(self, expansion: Expansion, levels: Mapping[str, int]) -> None:
        """Take the level of each template's jobs."""
        self.refused = ""
        self._expansion = expansion
        self._levels = levels
        # Tasks of each template that were not executed, and that are not over.
        self._left: dict[str, int] = {}
        self._going: dict[str, int] = {}
        self._troubled: set[str] = set()
        self._files: dict[str, list[str]] = {}
        self._clash: WorkflowError | None = None
        self._sets = {
            each.name: expansion.makers_of_set(each.name)
            for each in expansion.workflow.sets.values()
            if each.made
        }
        self._told_by = {maker for makers in self._sets.values() for maker in makers}
        self._over: list[int] = []
        self._level_left = dict.fromkeys(sorted(set(levels.values())), 0)
        for level in levels.values():
            self._level_left[level] += 1  # one for the template itself, until all its tasks are known

    def expand(self) -> range:
        """Take in the tasks that can be known by now; return the new ones.

        Raises:
            WorkflowError: Two tasks make one file, or sets that go in step do not.
        """
        if self._clash is not None:
            raise self._clash
        before = self._expansion.unexpanded
        new = self._expansion.expand()
        for name in before:
            tasks = len(self._expansion.tasks_of(name))
            if name in self._left or not self._expansion.is_expanded(name):
                continue
            self._left[name] = self._going[name] = tasks
            self._take_from_level(self._levels[name], 1 - tasks)
        return new

    def executed(self, task: int, files: Iterable[str]) -> bool:
        """Take what a task has made; return whether a set has become known."""
        template = self._expansion.tasks[task].template.name
        self._left[template] -= 1
        if template in self._told_by:
            names = list(files)
            self._files.setdefault(template, []).extend(names)
            self._note_made(task, names)
        return not self._left[template] and self.learn()

    def learn(self) -> bool:
        """Let all sets be known whose makers are over; return whether there was one."""
        over = {
            name
            for name, makers in self._sets.items()
            if all(self._left.get(maker, 1) == 0 for maker in makers)
        }
        for name in over:
            makers = self._sets.pop(name)
            self._expansion.learn(
                name, (file for maker in sorted(makers) for file in self._files.get(maker, ()))
            )
        return bool(over)

    def committed(self, task: int) -> None:
        """Note that a task is over: its job is committed."""
        name = self._expansion.tasks[task].template.name
        self._going[name] -= 1
        self._take_from_level(self._levels[name], 1)

    def lost(self, task: int) -> None:
        """Note that a task is over: its job gave up, or can never begin."""
        self._troubled.add(self._expansion.tasks[task].template.name)
        self.committed(task)

    def is_done(self, template: str) -> bool:
        """Return whether all tasks of a template are known and committed."""
        return self._going.get(template, 1) == 0 and template not in self._troubled

    def levels_over(self) -> list[int]:
        """Return the levels that have come to their end since the last time, lowest first."""
        if not self._over:
            return []
        over, self._over = sorted(self._over), []
        return over

    def levels_left(self) -> list[int]:
        """Return the levels that have not come to their end, and never will: they are over from now on."""
        left, self._level_left = sorted(self._level_left), {}
        return left

    def _note_made(self, task: int, files: list[str]) -> None:
        """Note who made which files; if others make one of them too, no more tasks can come up."""
        try:
            self._expansion.made(task, files)
        except WorkflowError as error:
            self._clash = error

    def _take_from_level(self, level: int, count: int) -> None:
        left = self._level_left[level] = self._level_left[level] - count
        if not left:
            del self._level_left[level]
            self._over.append(level)
