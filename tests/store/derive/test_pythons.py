"""Pythons that no hook could be loaded into: by the word they left, their rings, and their origins."""

from __future__ import annotations

from typing import Any

import pytest

from longpole.model.recording import UnreachedPython
from tests.builders import RUNNING, HandmadeLog, HandmadeRun, ms


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


@pytest.fixture
def log(run):
    with begun(run) as log:
        yield log


def begun(run: HandmadeRun, seen: float = 20_000) -> HandmadeLog:
    """Begin a log with a shell in it that was last seen then."""
    log = run.log()
    log.sample(1, 0, seen)
    log.note("began", at=ms(0), hooks=True)
    log.process(1, comm="sh", command="sh -c ...", python=False)
    return log


def python(log: HandmadeLog, number: int, start: float = 10, **facts: Any) -> None:
    known = {"comm": "python", "command": f"python {number}.py", "parent": 1, "python": True, **facts}
    log.process(number, start=start, **{"image": number * 1000, **known})


def reached(log: HandmadeLog, *numbers: int, at: float = 20) -> None:
    log.note("reached", at=ms(at), pids=[100 + number for number in numbers])


def unreached(run: HandmadeRun, log: HandmadeLog) -> list[str]:
    log.flush()
    notes = run.open().recording
    assert sum(one.count for one in notes.unreached) == notes.unreached_total
    return [one.command for one in notes.unreached]


def test_a_python_that_left_no_word_was_not_reached(run, log):
    python(log, 2)
    python(log, 3)
    reached(log, 2)

    assert unreached(run, log) == ["python 3.py"]


def test_a_ring_is_word_enough(run, log):
    python(log, 2)
    log.ring(2, 2)

    assert unreached(run, log) == []


def test_other_programs_leave_no_word_and_are_not_missed(run, log):
    log.process(2, comm="python-like", python=False)
    log.process(3, comm="bash")

    assert unreached(run, log) == []


def test_a_recording_without_hooks_misses_none(run):
    with run.log() as log:
        python(log, 2)

        assert unreached(run, log) == []


def test_a_program_that_could_not_be_looked_at_is_a_python_by_its_name(run, log):
    log.exit(2, 10, 20, parent=1, comm="python3.11")
    log.exit(3, 10, 20, parent=1, comm="python3.11")
    log.exit(4, 10, 20, parent=1, comm="true")
    reached(log, 3)

    assert unreached(run, log) == ["python3.11"]


def test_a_fork_is_as_what_it_was_forked_from(run, log):
    python(log, 2)
    python(log, 3, 15, parent=2, image=2000)
    python(log, 4, 12)
    python(log, 5, 15, parent=4, image=4000, command="python 4.py")
    python(log, 6, 15, parent=0, image=4000, command="python 4.py")
    reached(log, 2)

    assert unreached(run, log) == ["python 4.py"]
    assert run.open().recording.unreached == (UnreachedPython("python 4.py", 3),)


def test_the_kernel_knows_best_who_executed_a_program(run, log):
    python(log, 2)
    python(log, 3, 15, parent=2, image=2000)
    python(log, 4, 15, parent=2, image=2000)
    log.exit(3, 15, 30, parent=2, comm="python")
    log.exit(4, 15, 30, parent=2, comm="true")
    log.exit(5, 15, 30, parent=2, comm="python", forked=True)
    reached(log, 2)

    assert unreached(run, log) == ["python 3.py"]


def test_a_shell_that_became_a_python_before_anybody_looked_again_is_one(run, log):
    for number, name in ((2, "python"), (3, "true"), (4, "python-config")):
        log.process(number, start=10, parent=1, comm="python-config" if number == 4 else "sh", python=False)
        log.exit(number, 10, 20, parent=1, comm=name)

    assert unreached(run, log) == ["p2 --run"]


def test_a_fork_whose_image_is_hidden_has_the_command_of_its_parent(run, log):
    python(log, 2, image=0)
    python(log, 3, 15, parent=2, image=0, command="python 2.py")
    python(log, 4, 15, parent=2, image=0, command="python -I 4.py")
    reached(log, 2)

    assert unreached(run, log) == ["python -I 4.py"]


def test_an_orphan_of_unknown_origin_is_not_counted(run, log):
    python(log, 2, parent=0)

    assert unreached(run, log) == []


def test_a_fork_from_before_its_parent_became_something_else_is_known(run, log):
    python(log, 2)
    python(log, 3, 15, parent=2, image=2000)
    log.process(2, start=10, comm="bash", command="bash", python=False)
    python(log, 4)
    python(log, 4, image=4001)
    python(log, 5, 15, parent=4, image=4000)
    reached(log, 2, 4)

    assert unreached(run, log) == []


def test_of_processes_of_one_pid_the_one_that_lived_then_left_word(run, log):
    python(log, 2, 1000, pid=500)
    python(log, 3, 5000, pid=500)
    python(log, 4, 9000, pid=500)
    log.note("reached", at=ms(5100), pids=[500])

    assert sorted(unreached(run, log)) == ["python 2.py", "python 4.py"]


def test_a_pid_of_a_namespace_is_the_one_seen_inside(run, log):
    python(log, 2, inner_pid=7)
    python(log, 3, inner_pid=8)
    log.note("reached", at=ms(20), pids=[7])

    assert unreached(run, log) == ["python 3.py"]


def test_word_of_an_unknown_pid_stands_for_any_that_was_too_short(run, log):
    log.exit(2, 10, 20, parent=1, comm="python")
    log.exit(3, 10, 20, parent=1, comm="python")
    python(log, 4)
    log.note("reached", at=ms(20), pids=[7, 8, 9])

    assert unreached(run, log) == ["python 4.py"]


def test_a_nested_recorder_is_not_missed(run, log):
    python(log, 2)
    log.ring(2, 2, hello={"role": "launcher"})
    python(log, 3, 15, parent=2)

    assert unreached(run, log) == ["python 3.py"]


def test_a_python_that_has_only_just_begun_is_given_time(tmp_path):
    run = HandmadeRun(tmp_path, **RUNNING)
    with begun(run, seen=5000) as log:
        python(log, 2, 1000)
        python(log, 3, 4500)

        assert unreached(run, log) == ["python 2.py"]


def test_the_most_frequent_commands_are_listed_and_all_are_counted(run, log):
    for number in range(2, 62):
        python(log, number, command=f"python {number % 30}.py" if number < 60 else "python often.py " * 99)
    log.flush()

    notes = run.open().recording

    assert (len(notes.unreached), notes.unreached_total) == (20, 60)
    assert [one.count for one in notes.unreached] == [2] * 20
    assert max(len(one.command) for one in notes.unreached) <= 500


def test_ancestors_without_end_do_not_hang(run, log):
    for number in range(2, 400):
        python(log, number, parent=number - 1 if number > 2 else 399, image=0, command="python")
    for number in range(400, 800):
        log.exit(number, 10, 20, parent=number - 1, comm="python", forked=True)

    assert unreached(run, log) in ([], ["python"])


def start_ups(run: HandmadeRun, log: HandmadeLog) -> dict[int, float]:
    log.flush()
    rows = run.open().query("SELECT owner, value FROM totals WHERE metric = 'start_up_ns'").records()
    return {int(row["owner"] or 0): float(row["value"] or 0) / 1e6 for row in rows}


def test_start_of_an_interpreter_is_its_cpu_time_unless_it_clearly_waited(run, log):
    python(log, 2, start=10)
    python(log, 3, start=10)
    log.note("reached", at=ms(400), pids=[102, 103], ready=[ms(29), ms(310)], spent=[ms(14), ms(15)])

    assert start_ups(run, log) == {2: 14.0, 3: 295.0}


def test_start_of_an_interpreter_that_said_nothing_of_it_is_not_known(run, log):
    python(log, 2)
    reached(log, 2)

    assert start_ups(run, log) == {}


def test_start_of_an_interpreter_is_known_to_a_tick_and_not_exact(run, log):
    python(log, 2)
    log.note("reached", at=ms(400), pids=[102], ready=[ms(29)], spent=[ms(14)])
    log.flush()

    rows = run.open().query("SELECT source FROM totals WHERE metric = 'start_up_ns'")

    assert list(rows["source"]) == ["sampled"]


def test_start_of_an_interpreter_that_was_another_program_before_is_not_known(run, log):
    python(log, 2, comm="bash", command="bash -c 'sleep 2; exec python'", python=False, image=0)
    python(log, 2)
    python(log, 3, image=3000)
    python(log, 3, image=3001)
    python(log, 4, comm="bash", command="bash -c 'sleep 2; exec python'", python=False, image=0)
    log.note(
        "reached",
        at=ms(2400),
        pids=[102, 103, 104],
        ready=[ms(2029)] * 3,
        spent=[ms(14), ms(2000), ms(14)],
    )

    assert start_ups(run, log) == {}


def test_start_of_an_interpreter_that_left_word_twice_is_not_known(run, log):
    python(log, 2)
    log.note("reached", at=ms(40), pids=[102], ready=[ms(29)], spent=[ms(14)])
    log.note("reached", at=ms(2400), pids=[102], ready=[ms(2029)], spent=[ms(2000)])

    assert start_ups(run, log) == {}


def test_another_name_alone_is_no_other_program(run, log):
    python(log, 2)
    python(log, 2, comm="worker")
    log.note("reached", at=ms(40), pids=[102], ready=[ms(29)], spent=[ms(14)])

    assert start_ups(run, log) == {2: 14.0}


def test_small_imports_are_the_longest_sum_that_was_told(run, log):
    python(log, 2)
    log.note("reached", at=ms(400), pids=[102, 102, 102], ready=[0, 0, ms(29)], spent=[ms(9), ms(4), ms(14)])
    log.flush()

    rows = run.open().query("SELECT metric, value FROM totals WHERE metric IN ('start_up_ns', 'import_ns')")

    assert dict(zip(rows["metric"], rows["value"], strict=True)) == {
        "start_up_ns": ms(14),
        "import_ns": ms(9),
    }
