"""New tasks: when a set becomes known they come up, and templates and levels are over when all theirs are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from longpole.plan.expansion import Expansion


class Growth:
    """What is still to come of each template, set and level."""

    def __init__(self, expansion: Expansion, levels: Mapping[str, int]) -> None:
        """Take the level of each template's jobs."""
        self._expansion = expansion
        self._levels = levels
        self._left: dict[str, int] = {}
        self._files: dict[str, list[str]] = {}
        self._sets = {
            each.name: expansion.makers_of_set(each.name)
            for each in expansion.workflow.sets.values()
            if each.made
        }
        self._told_by = {maker for makers in self._sets.values() for maker in makers}
        self._level_left = dict.fromkeys(sorted(set(levels.values())), 0)
        for level in levels.values():
            self._level_left[level] += 1  # one for the template itself, until all its tasks are known

    def expand(self) -> range:
        """Take in the tasks that can be known by now; return the new ones."""
        before = set(self._expansion.unexpanded)
        new = self._expansion.expand()
        for name in before.difference(self._expansion.unexpanded):
            self._left[name] = len(self._expansion.tasks_of(name))
            self._level_left[self._levels[name]] += self._left[name] - 1
        return new

    def executed(self, task: int, files: Iterable[str]) -> bool:
        """Take what a task has made; return whether a set has become known."""
        template = self._expansion.tasks[task].template.name
        self._left[template] -= 1
        if template in self._told_by:
            names = list(files)
            self._files.setdefault(template, []).extend(names)
            self._expansion.made(task, names)
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

    def ended(self, task: int) -> None:
        """Note that a task is over: its job is committed, or gave up, or it never runs."""
        self._level_left[self._levels[self._expansion.tasks[task].template.name]] -= 1

    def levels_over(self) -> list[int]:
        """Return the levels that have come to their end since the last time, lowest first."""
        over = [level for level, left in self._level_left.items() if not left]
        for level in over:
            del self._level_left[level]
        return over
