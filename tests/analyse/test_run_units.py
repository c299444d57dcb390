"""What the tasks of a run are."""

from __future__ import annotations

from longpole.analyse.run_units import Unit, units_of
from tests.analyse.run_tables import mark, process, tables, task

FIT = "python fit.py"


def test_declared_tasks_are_tasks_whatever_else_there_is():
    run = tables(4, tasks=[task(1, "map", 0, 2), task(2, "map", 2, 1)], marks=[mark(3, "all", 0, 4)])

    units = units_of(run)

    assert (units.unit, units.names, len(units)) == (Unit.TASK, ("map",), 2)


def test_tasks_that_never_ran_count_for_nothing():
    never = {**task(2, "reduce", None, 0), "duration_ns": None}

    assert units_of(tables(4, tasks=[task(1, "map", 0, 2), never])).names == ("map",)


def test_outermost_marks_are_tasks_if_they_cover_half_of_the_run():
    marks = [
        mark(1, "a", 0, 3),
        mark(2, "inner", 1, 2),
        mark(3, "b", 3, 5),
        mark(4, "t", 1, 2, lane=1, parent=1),
    ]

    units = units_of(tables(10, marks=marks))

    assert (units.unit, units.names, units.took_s.tolist()) == (Unit.MARK, ("a", "b"), [3.0, 2.0])


def test_marks_that_cover_less_are_no_tasks():
    assert units_of(tables(10, marks=[mark(1, "a", 0, 4.9)])).unit is Unit.COMMAND


def test_programs_that_a_shell_starts_are_tasks_with_all_below_them():
    processes = [
        process(1, 0, 4, name="sh", command="sh flow.sh"),
        process(2, 0, 2, name="python", command=FIT),
        process(3, 1, 2, name="ld", command="ld x", parent=2),
        process(4, 2, 4, name="python", command="python test.py"),
    ]

    units = units_of(tables(4, processes=processes))

    assert (units.unit, units.names) == (Unit.PROGRAM, (FIT, "python test.py"))
    assert units.owners == {2: 0, 3: 0, 4: 1}


def test_a_shell_that_starts_xargs_is_seen_through():
    processes = [
        process(1, 0, 4, name="sh", command="sh -c ..."),
        process(2, 0, 0.001, name="seq", command="seq 2"),
        process(3, 0, 4, name="xargs", command="xargs -P 2 work"),
        process(4, 0, 2, parent=3),
        process(5, 2, 4, parent=3),
    ]

    units = units_of(tables(4, processes=processes))

    assert (units.unit, units.names, units.ids.tolist()) == (Unit.PROGRAM, ("work",), [4, 5])


def test_forks_and_workers_are_no_tasks():
    spawned = "python -c from multiprocessing.spawn import spawn_main; spawn_main() --multiprocessing-fork"
    processes = [
        process(1, 0, 4, name="python", command=FIT),
        process(2, 0, 4, name="python", command=FIT),
        process(3, 0, 4, name="python", command=FIT),
        process(4, 0, 4, name="python", command=spawned),
    ]

    assert units_of(tables(4, processes=processes)).unit is Unit.COMMAND


def test_what_workers_start_are_tasks():
    processes = [
        process(1, 0, 4, name="python", command=FIT),
        process(2, 0, 4, name="python", command=FIT),
        process(3, 0, 4, name="python", command=FIT),
        process(4, 0, 4, parent=2),
        process(5, 0, 4, parent=3),
    ]

    assert units_of(tables(4, processes=processes)).ids.tolist() == [4, 5]


def test_a_short_python_that_told_of_its_start_is_no_fork_though_nobody_saw_its_command():
    short = {"name": "python", "command": None, "up_s": 0.01}
    processes = [process(1, 0, 4, name="python", command=FIT), *(process(at, 1, 2, **short) for at in (2, 3))]

    assert len(units_of(tables(4, processes=processes))) == 2


def test_short_programs_are_of_the_kind_of_others_with_their_name():
    shown = process(2, 1, 2, name="python", command="python -c pass")
    short = process(3, 2, 3, name="python", command=None)
    processes = [process(1, 0, 4, name="sh", command="sh x"), shown, short]

    assert units_of(tables(4, processes=processes)).names == ("python -c",)


def test_programs_beside_a_script_that_did_most_of_the_work_are_no_tasks():
    script = process(1, 0, 10, name="python", command=FIT, cpu_s=9.0)
    asked = [process(at, 0, 0.02, name="git", command="git log", cpu_s=0.01) for at in (2, 3)]

    assert units_of(tables(10, processes=[script, *asked])).unit is Unit.COMMAND


def test_a_driver_that_only_waits_did_not_do_the_work():
    driver = process(1, 0, 10, name="python", command="python drive.py", cpu_s=0.5)
    started = [process(at, at, at + 0.01, name="true", command="true", cpu_s=0.001) for at in (2, 3, 4)]

    assert units_of(tables(10, processes=[driver, *started])).names == ("true",)


def test_a_run_of_several_hosts_without_tasks_is_one_command():
    processes = [process(1, 0, 4, name="sh", command="sh x"), process(2, 0, 2), process(3, 2, 4)]

    assert units_of(tables(4, processes=processes, hosts=2)).unit is Unit.COMMAND


def test_a_shell_that_runs_one_program_is_called_by_that():
    recipe = {"name": "sh", "command": "sh -c ..."}
    processes = [
        process(1, 0, 4, name="make", command="make"),
        process(2, 0, 2, **recipe),
        process(3, 0, 2, parent=2),
        process(4, 2, 4, **recipe),
        process(5, 2, 3, parent=4),
        process(6, 3, 4, parent=4),
    ]

    assert units_of(tables(4, processes=processes)).names == ("work", "sh -c")


def test_programs_of_which_the_shortest_were_not_seen_are_one_command():
    first = process(1, 0, 4, name="sh", command="sh x")
    short = [process(at, at, at + 0.2) for at in (2, 3)]

    found = [units_of(tables(4, processes=[first, *short], all_seen=seen)).unit for seen in (True, False)]

    assert found == [Unit.PROGRAM, Unit.COMMAND]


def test_kinds_have_names_of_their_own():
    jobs = [task(1, "", 0, 1), task(2, "task", 1, 1), task(3, "task (2)", 2, 1)]
    marks = [mark(1, "", 0, 1), mark(2, "?", 1, 2)]

    declared, marked = units_of(tables(3, tasks=jobs)), units_of(tables(2, marks=marks))

    assert (len(set(declared.names)), len(set(marked.names))) == (3, 2)
    assert set(declared.names) >= {"task", "task (2)"}
