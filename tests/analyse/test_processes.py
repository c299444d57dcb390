from __future__ import annotations

import pytest

from longpole.analyse.processes import by_program, process_uses, program_of
from longpole.model.execution import Metric
from longpole.model.overview import ProcessUse
from tests.analyse.evidence import SECOND, START, process, table


def use(command, count=1, cpu_s=1.0, **facts):
    known = {"wall_s": 2.0, "peak_memory_bytes": 10, "read_bytes": 5, "written_bytes": None}
    return ProcessUse(name="name", command=command, count=count, cpu_s=cpu_s, **(known | facts))


def test_a_process_is_its_times_and_totals():
    row = process(1, 0.5, 2.0, **{Metric.CPU_USER: SECOND, Metric.CPU_SYSTEM: SECOND // 2, Metric.READ: 4096})

    (found,) = process_uses(table("processes", row), START + 9 * SECOND)

    assert (found.wall_s, found.cpu_s, found.read_bytes) == (1.5, 1.5, 4096)
    assert (found.written_bytes, found.peak_memory_bytes) == (None, None)


def test_a_process_without_an_end_lasts_as_long_as_the_run():
    (found,) = process_uses(table("processes", process(1, 1.0, None)), START + 9 * SECOND)

    assert (found.wall_s, found.cpu_s) == (8.0, None)


def test_time_before_the_run_is_not_of_the_run():
    rows = table("processes", process(1, -50.0, 2.0))

    (found,) = process_uses(rows, START + 9 * SECOND, START)

    assert found.wall_s == 2.0


def test_most_cpu_time_comes_first():
    rows = [process(at, **{Metric.CPU_USER: at * SECOND}) for at in (2, 3, 1)]

    assert [found.cpu_s for found in process_uses(table("processes", *rows), START)] == [3.0, 2.0, 1.0]


def test_processes_of_one_program_are_summed_and_the_largest_memory_kept():
    uses = (
        use("python fit.py --a 1"),
        use("/usr/bin/python fit.py --a 2", peak_memory_bytes=30),
        use("ls -l", cpu_s=9.0),
    )

    ls, fit = by_program(uses)

    assert ls == uses[2]
    assert (fit.command, fit.count, fit.wall_s, fit.cpu_s) == ("python fit.py", 2, 4.0, 2.0)
    assert (fit.peak_memory_bytes, fit.read_bytes, fit.written_bytes) == (30, 10, None)


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("/usr/bin/python3.11 -u src/train.py --lr 0.1", "python3.11 train.py"),
        ("python -m pkg.fit --fast", "python -m pkg.fit"),
        ("python -c import time; time.sleep(1)", "python -c"),
        ("bash -c echo a b", "bash -c"),
        ("bash", "bash"),
        ("/opt/solver -n 4", "solver"),
        ("[kworker]", "name"),
        ("", "name"),
    ],
)
def test_a_program_is_what_a_person_would_call_it(command, program):
    assert program_of(use(command)) == program
