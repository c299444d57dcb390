"""From templates to tasks: as many as are known, and more when sets become known.

Method: a template is expanded when all its sets are known and all templates that make its inputs have been
expanded. Its tasks are the join of the sets it is fanned out over; each input pattern names a file for every
row of its sets that agrees with the task. Work and memory are linear in tasks and names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from longpole.model.patterns import fill, matcher, places
from longpole.model.workflow import NamedSet, Task, Template, Uses, Workflow
from longpole.plan.relations import Relation, agreeing, in_step, product
from longpole.plan.templates import Makers, after, in_order, levels, results_of


class Expansion:
    """The tasks of a workflow as far as they are known; they are numbered from 0 and never change.

    Attributes:
        workflow: What is expanded.
        tasks: All tasks so far.
        makers: Which task makes a file, by the file's name.
        before: Templates whose tasks come before those of each template.
        levels: The level of each template in the graph of the workflow, from 1.
    """

    def __init__(self, workflow: Workflow, found: Mapping[str, Relation]) -> None:
        """Begin; ``found`` are the members of sets that were looked up among files.

        Raises:
            CyclicGraphError: Some tasks wait for themselves.
        """
        self.workflow = workflow
        self.tasks: list[Task] = []
        self.makers: dict[str, int] = {}
        self._template_makers = Makers(workflow)
        self.before = after(workflow, self._template_makers)
        self.levels = levels(self.before)
        self._waiting = in_order(self.before)
        self._of_template: dict[str, range] = {}
        self._needs = {name: _sets_of(workflow.templates[name], workflow) for name in self._waiting}
        self._known = {each.name: _listed(each) for each in workflow.sets.values() if each.values is not None}
        self._known.update(found)

    @property
    def unknown_sets(self) -> list[NamedSet]:
        """Sets whose members are not known yet."""
        return [each for each in self.workflow.sets.values() if each.name not in self._known]

    @property
    def unexpanded(self) -> list[str]:
        """Templates whose tasks are not known yet."""
        return list(self._waiting)

    def tasks_of(self, template: str) -> range:
        """Return the numbers of a template's tasks; none where they are not known yet."""
        return self._of_template.get(template, range(0))

    def makers_of_set(self, name: str) -> set[str]:
        """Return the templates whose outputs tell the members of a set."""
        return self._template_makers.of(self.workflow.sets[name].made)

    def expand(self) -> range:
        """Make all tasks that can be known by now; return the numbers of the new ones."""
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
        """Take the files that a task has made under a pattern."""
        for name in files:
            self.makers[name] = task

    def dependencies(self, task: int) -> list[int]:
        """Return the tasks whose files or results a task uses, each once."""
        this, makers = self.tasks[task], self.makers
        found: dict[int, None] = {}
        for names in this.inputs:
            for name in names:
                maker = makers.get(name)
                if maker is not None:
                    found[maker] = None
        for template in results_of(this.template.call):
            found.update(dict.fromkeys(self.results_for(task, template)))
        found.pop(task, None)
        return list(found)

    def results_for(self, task: int, template: str) -> list[int]:
        """Return the tasks of a template that agree with the members that a task is for."""
        members = self.tasks[task].members
        return [
            other
            for other in self.tasks_of(template)
            if all(members.get(name, value) == value for name, value in self.tasks[other].members.items())
        ]

    def _is_able(self, name: str) -> bool:
        return self._needs[name] <= self._known.keys() and all(
            earlier in self._of_template for earlier in self.before[name]
        )

    def _expand(self, template: Template) -> None:
        first = len(self.tasks)
        where = self.workflow.at(template.line)
        groups = [
            in_step([self._known[name] for name in group], where) if len(group) > 1 else self._known[group[0]]
            for group in template.for_each
        ]
        inputs = [self._namer(uses, template) for uses in template.inputs]
        for members in product(groups).members():
            names = tuple(name(members) for name in inputs)
            outputs = tuple(
                tuple(fill(pattern, members) for pattern in uses.patterns) for uses in template.outputs
            )
            self._add(Task(_called(template, members), template, members, names, outputs))
        self._of_template[template.name] = range(first, len(self.tasks))

    def _add(self, task: Task) -> None:
        number = len(self.tasks)
        self.tasks.append(task)
        for names in task.outputs:
            for name in names:
                self.makers[name] = number

    def _namer(self, uses: Uses, template: Template) -> _Namer:
        return _Namer(uses, self._known, set(template.sets))


class _Namer:
    """Tells the files of one input for the members of a task."""

    def __init__(self, uses: Uses, known: Mapping[str, Relation], bound: set[str]) -> None:
        self._plain = uses.patterns if not any(map(places, uses.patterns)) else ()
        self._parts = [(pattern, _free(pattern, known, bound)) for pattern in uses.patterns]

    def __call__(self, members: Mapping[str, str]) -> tuple[str, ...]:
        if self._plain:
            return self._plain
        found: list[str] = []
        for pattern, free in self._parts:
            if free is None:
                found.append(fill(pattern, members))
            else:
                rows = agreeing(free, members).members()
                found += [fill(pattern, {**members, **row}) for row in rows]
        return tuple(found)


def matching(named: NamedSet, pattern: str, files: Iterable[str]) -> Relation:
    """Return the members of a set as the names of files tell them, in their order, each once."""
    fits = matcher(pattern)
    names = (*(place for place in places(pattern) if place != named.name), named.name)
    rows: dict[tuple[str, ...], None] = {}
    for file in files:
        match = fits.match(file)
        if match is not None:
            rows[tuple(match[name] for name in names)] = None
    return Relation(names, tuple(rows))


def _free(pattern: str, known: Mapping[str, Relation], bound: set[str]) -> Relation | None:
    """Return the sets of a pattern that a task is not fanned out over, joined; None where there are none."""
    names = [place for place in places(pattern) if place in known and place not in bound]
    return product(known[name] for name in names) if names else None


def _sets_of(template: Template, workflow: Workflow) -> set[str]:
    """Return the sets that must be known before a template has tasks."""
    patterns = (pattern for uses in template.inputs for pattern in uses.patterns)
    named = {place for pattern in patterns for place in places(pattern)} & workflow.sets.keys()
    return named | set(template.sets)


def _listed(named: NamedSet) -> Relation:
    return Relation((named.name,), tuple((value,) for value in dict.fromkeys(named.values or ())))


def _called(template: Template, members: Mapping[str, str]) -> str:
    if not members:
        return template.name
    return f"{template.name} {' '.join(f'{name}={member}' for name, member in members.items())}"


def looked_up(named: NamedSet, files: Sequence[str]) -> Relation:
    """Return the members of a set of files outside the workflow."""
    return matching(named, named.glob, files)
