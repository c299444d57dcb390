"""From templates to tasks: as many as are known, and more when sets become known.

Method: a template is expanded when all its sets are known and all templates that make its inputs have been
expanded. Its tasks are the join of the sets it is fanned out over; each input pattern names a file for every
row of its sets that agrees with the task. Work and memory are linear in tasks and names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from longpole.model.call_arguments import comes_after
from longpole.model.patterns import places
from longpole.model.workflow import NamedSet, Task, Template, Workflow, WorkflowError
from longpole.plan.naming import Namer, Names, listed, matching
from longpole.plan.relations import Relation, in_step, product
from longpole.plan.templates import Makers, after, in_order, levels, others


class Expansion:
    """The tasks of a workflow as far as they are known; they are numbered from 0 and never change.

    Attributes:
        workflow: What is expanded.
        tasks: All tasks so far.
        makers: Which task makes a file, by the file's name.
        outside: Files that no task makes, with the first task that uses each.
        before: Templates whose tasks come before those of each template.
        levels: The level of each template in the graph of the workflow, from 1.
    """

    def __init__(self, workflow: Workflow, found: Mapping[str, Relation]) -> None:
        """Begin; ``found`` are the members of sets that were looked up among files.

        Raises:
            WorkflowError: Some tasks wait for themselves.
        """
        self.workflow = workflow
        self.tasks: list[Task] = []
        self.makers: dict[str, int] = {}
        self.outside: dict[str, int] = {}
        self._template_makers = Makers(workflow)
        before = after(workflow, self._template_makers)
        self.before = others(before)
        self._chained = {name for name in before if name in before[name]}
        self._depths: dict[int, int] = {}
        self.levels = levels(self.before)
        self._waiting = in_order(self.before)
        self._of_template: dict[str, range] = {}
        self._by_members: dict[tuple[str, tuple[str, ...]], dict[tuple[str, ...], list[int]]] = {}
        self._makers_of: dict[int, tuple[int, ...]] = {}
        self._needs = {name: _sets_of(workflow.templates[name], workflow) for name in self._waiting}
        given = {each.name: listed(each) for each in workflow.sets.values()}
        self._known = {name: relation for name, relation in given.items() if relation is not None}
        self._known.update(found)

    @property
    def unknown_sets(self) -> list[NamedSet]:
        """Sets whose members are not known yet."""
        return [each for each in self.workflow.sets.values() if each.name not in self._known]

    @property
    def unexpanded(self) -> list[str]:
        """Templates whose tasks are not known yet."""
        return list(self._waiting)

    def is_expanded(self, template: str) -> bool:
        """Return whether the tasks of a template are known."""
        return template in self._of_template

    def tasks_of(self, template: str) -> range:
        """Return the numbers of a template's tasks; none where they are not known yet."""
        return self._of_template.get(template, range(0))

    def depth_of(self, task: int) -> int:
        """Return how many tasks of its own template come one after another before a task."""
        return self._depths.get(task, 0)

    def makers_of_set(self, name: str) -> set[str]:
        """Return the templates whose outputs tell the members of a set."""
        return self._template_makers.of(self.workflow.sets[name].made)

    def sets_of(self, template: str) -> set[str]:
        """Return the sets that must be known before a template has tasks."""
        return _sets_of(self.workflow.templates[template], self.workflow)

    def expand(self) -> range:
        """Make all tasks that can be known by now; return the numbers of the new ones.

        Raises:
            WorkflowError: Two tasks make one file, or sets that go in step do not.
        """
        first = len(self.tasks)
        for name in self._waiting:  # in order: those that wait for each other come one after another
            if self._is_able(name):
                self._expand(self.workflow.templates[name])
        self._waiting = [name for name in self._waiting if name not in self._of_template]
        return range(first, len(self.tasks))

    def learn(self, name: str, files: Iterable[str]) -> None:
        """Take the files that were made, of which some tell the members of a set: it is known from now on."""
        named = self.workflow.sets[name]
        self._known[name] = matching(named, named.made, files)

    def made(self, task: int, files: Iterable[str]) -> None:
        """Take the files that a task has made under a pattern.

        Raises:
            WorkflowError: Another task makes one of them.
        """
        self._makers_of.clear()
        for name in files:
            other = self.makers.setdefault(name, task)
            if other != task:
                raise self._made_twice(name, other, task)

    def dependencies(self, task: int) -> list[int]:
        """Return the tasks whose files or results a task uses, each once."""
        this = self.tasks[task]
        found: dict[int, None] = {}
        for names in this.inputs:
            found.update(dict.fromkeys(self._makers(names)))
        for template in comes_after(this.template):
            found.update(dict.fromkeys(self.results_for(task, template)))
        found.pop(task, None)
        return list(found)

    def results_for(self, task: int, template: str) -> list[int]:
        """Return the tasks of a template that agree with the members that a task is for."""
        return self._agreeing(template, self.tasks[task].members)

    def makers_of_name(self, name: str) -> Sequence[int]:
        """Return the tasks that make a file, or may: one that matches a pattern may come of several."""
        number = self.makers.get(name)
        if number is not None:
            return (number,)
        if name in self.outside:
            return ()
        made = self._template_makers.of_name(name)
        return self._agreeing(made.template, made.members) if made else ()

    def _makers(self, names: Names) -> tuple[int, ...]:
        """Return the tasks that make some of these files; the same tuple of names is looked through once."""
        found = self._makers_of.get(id(names))
        if found is None:
            numbers = (number for name in names for number in self.makers_of_name(name))
            found = self._makers_of[id(names)] = tuple(dict.fromkeys(numbers))
        return found

    def _agreeing(self, template: str, members: Mapping[str, str]) -> list[int]:
        others = self.tasks_of(template)
        if not others:
            return []
        shared = tuple(name for name in self.tasks[others[0]].members if name in members)
        index = self._by_members.get((template, shared))
        if index is None:
            index = self._by_members[template, shared] = {}
            for number in others:
                theirs = self.tasks[number].members
                index.setdefault(tuple(theirs[name] for name in shared), []).append(number)
        return index.get(tuple(members[name] for name in shared), [])

    def _is_able(self, name: str) -> bool:
        return self._needs[name] <= self._known.keys() and all(
            earlier in self._of_template for earlier in self.before[name]
        )

    def _expand(self, template: Template) -> None:
        first = len(self.tasks)
        where = self.workflow.at(template.line)
        groups = [in_step([self._known[name] for name in group], where) for group in template.for_each]
        rows = product(groups)
        inputs = [Namer(uses, self._known, rows.names) for uses in template.inputs]
        before = {name: known for name, known in self._known.items() if not self.workflow.sets[name].made}
        outputs = [Namer(uses, before, rows.names) for uses in template.outputs]
        for members in rows.members():
            used = tuple(name(members) for name in inputs)
            made = tuple(name(members) for name in outputs)
            many = tuple(name.open(members) for name in outputs)
            self._add(Task(_called(template, members), template, members, used, made, many))
        self._of_template[template.name] = new = range(first, len(self.tasks))
        for number in new:
            for names in self.tasks[number].inputs:
                self._note_outside(names, number)
        if template.name in self._chained:
            self._depths.update(self._chain(new))

    def _add(self, task: Task) -> None:
        number = len(self.tasks)
        self.tasks.append(task)
        for names in task.outputs:
            for name in names:
                other = self.makers.setdefault(name, number)
                if other != number:
                    raise self._made_twice(name, other, number)

    def _note_outside(self, names: Names, number: int) -> None:
        if id(names) in self._makers_of:  # another task uses just these
            return
        for name in names:
            # What a task needs cannot be one of those that it makes as many of as it likes.
            if name not in self.makers and set(self.makers_of_name(name)) <= {number}:
                made = self._template_makers.of_name(name)
                if made is not None and made.template not in self._of_template:
                    raise self._spelt_differently(name, number, made.template)
                self.outside.setdefault(name, number)
        self._makers(names)

    def _chain(self, numbers: range) -> dict[int, int]:
        """Return how many tasks of their own template come one after another before tasks, in any order."""
        waiting = {
            number: [
                other
                for names in self.tasks[number].inputs
                for other in self._makers(names)
                if other in numbers
            ]
            for number in numbers
        }
        order = in_order(waiting, lambda number: self.tasks[number].name)
        depths: dict[int, int] = {}
        for number in order:
            depths[number] = 1 + max((depths[other] for other in waiting[number]), default=-1)
        return depths

    def _made_twice(self, name: str, one: int, other: int) -> WorkflowError:
        tasks = self.tasks[one], self.tasks[other]
        where = self.workflow.at(tasks[1].template.line)
        return WorkflowError(f"{where}Both '{tasks[0].name}' and '{tasks[1].name}' make '{name}'.")

    def _spelt_differently(self, name: str, user: int, maker: str) -> WorkflowError:
        """Return what to say of a file whose maker comes later, since its pattern was not recognised."""
        task = self.tasks[user]
        where = self.workflow.at(task.template.line)
        return WorkflowError(
            f"{where}'{task.name}' uses '{name}', which '{maker}' makes under a pattern that is spelt "
            "differently. Spell both alike."
        )


def looked_up(named: NamedSet, files: Iterable[str]) -> Relation:
    """Return the members of a set of files outside the workflow."""
    return matching(named, named.glob, files)


def _sets_of(template: Template, workflow: Workflow) -> set[str]:
    """Return the sets that must be known before a template has tasks."""
    used = {place for uses in template.inputs for pattern in uses.patterns for place in places(pattern)}
    made = {place for uses in template.outputs for pattern in uses.patterns for place in places(pattern)}
    given = {each.name for each in workflow.sets.values() if not each.made}
    return (used & workflow.sets.keys()) | (made & given) | set(template.sets)


def _called(template: Template, members: Mapping[str, str]) -> str:
    if not members:
        return template.name
    return f"{template.name} {' '.join(f'{name}={member}' for name, member in members.items())}"
