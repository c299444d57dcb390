from __future__ import annotations

from longpole.analyse.phase_groups import grouped
from tests.analyse.planted_bounds import PlantedUse


def groups(run, most=10):
    case = run.case()
    return grouped(case.tree, case.labels, case.on_path_ns, most)


def test_what_is_on_the_critical_path_comes_first_and_then_what_takes_long():
    run = PlantedUse(10.0)
    run.process("long", 0, 9)
    run.process("longer", 0, 9.5)
    run.process("last", 9.9, 10)

    names = [name for name, _ in groups(run).names]

    assert set(names[:2]) == {"longer", "last"}
    assert names[2] == "long"


def test_those_that_matter_less_are_one_group_without_a_name():
    run = PlantedUse(10.0)
    for at in range(5):
        run.process(f"p{at}", 2 * at, 2 * at + 2 - at / 10)

    found = groups(run, most=2)

    assert [name for name, _ in found.names] == ["p0", "p1"]
    assert found.of_place[found.places].tolist() == [0, 1, 2, 2, 2]
    assert len(found.words) == 3


def test_the_run_and_phases_without_a_process_are_in_no_named_group():
    run = PlantedUse(10.0)
    run.phase("exec", "told", 0, 10)
    run.process("python", 0, 10)

    assert groups(run).names == (("python", "process"),)
