"""The critical path, in parts that people read."""

from __future__ import annotations

from hypothesis import given

from longpole.analyse.blame import Labels
from longpole.analyse.path import critical_path
from longpole.analyse.path_parts import path_parts
from longpole.analyse.tree import Tree
from longpole.model.explanation import PathPart
from tests.analyse.planted import Planted
from tests.analyse.trees import trees


def parts_of(tree: Tree) -> tuple[PathPart, ...]:
    return path_parts(tree, critical_path(tree), Labels(tree.name, tree.names))


def test_a_serial_stretch_is_told_with_its_largest_parts():
    run = Planted(10.0)
    python = run.phase("process", "python", 0.0, 10.0, process=1)
    for start in (1.0, 5.0):
        step = run.phase("step", "step", start, start + 4.0, parent=python)
        run.phase("data", "load", start, start + 3.0, parent=step)

    [part] = parts_of(run.tree())

    assert (part.what, part.seconds, part.count) == ("python", 10.0, 1)
    assert part.parts == (PathPart("load", "data", 1.0, 6.0, 2), PathPart("step", "step", 1.0, 2.0, 2))


def test_phases_that_are_called_the_same_are_one_part_whatever_their_names():
    run = Planted(10.0)
    fit = run.phase("fit", "fit", 0.0, 10.0)
    for number in range(3):
        run.phase("step", f"step {number}", 2.0 * number, 2.0 * number + 2.0, parent=fit)
    tree = run.tree()
    labels = Labels(tree.name, tuple(name.split()[0] for name in tree.names))

    [part] = path_parts(tree, critical_path(tree), labels)

    assert part.parts == (PathPart("step", "step", 0.0, 6.0, 3),)


def test_parts_of_neighbours_with_one_name_are_told_together():
    run = Planted(8.0)
    run.phase("job", "other", 0.0, 1.0)
    run.phase("job", "other", 0.5, 2.0)
    for start in (2.0, 5.0):
        job = run.phase("job", "fit", start, start + 3.0)
        run.phase("phase", "solve", start, start + 2.0, parent=job)

    fit = parts_of(run.tree())[-1]

    assert (fit.what, fit.count) == ("fit", 2)
    assert fit.parts == (PathPart("solve", "phase", 2.0, 4.0, 2),)


@given(trees())
def test_what_is_within_a_part_is_never_longer_than_it(tree):
    for part in parts_of(tree):
        assert sum(inner.seconds for inner in part.parts) <= part.seconds + 1e-6
        assert all(inner.seconds > 0 for inner in part.parts)


@given(trees())
def test_parts_are_as_long_as_the_run_together(tree):
    assert abs(sum(part.seconds for part in parts_of(tree)) - 100.0) < 1e-6
