from __future__ import annotations

import pytest
from rich.cells import cell_len

from longpole.model.overview import GpuUse, PhaseSum, ProcessUse, TaskUse
from tests.present.samples import FULL, shown

LONG = "python " + "--an-option-that-goes-on and-on-and-on/" * 100


def phases(number):
    return tuple(PhaseSum("phase", f"phase {at} " * 9, 10**at, 60.0 * at, 1 / number) for at in range(number))


def processes(number):
    return tuple(ProcessUse("work", LONG, 1, 1e5, 1e-6, 2**50, 2**60, 0) for _ in range(number))


def test_one_screen_tells_everything():
    text = shown()

    for fact in (
        *("demo", "finished in 10.4 s", "python pipeline.py --rows 400000", "c0ffee00", "4 processes"),
        *("15.2 s", "1.46 of 2 cores", "212 MB", "130 MB", "0 B from storage", "84 MB to storage"),
        *(
            "34 %",
            "NVIDIA H200 #0",
            "1.2 GB at the peak",
            "by this run",
            "78 %",
            "3.1 % by others",
            "1.2 MB in",
        ),
        *("0.8 %", "81 ms of CPU", "75.0 %", "clean (command)", "Two things were not seen.", "not exact"),
    ):
        assert fact in text
    assert len(text.splitlines()) <= 45


@pytest.mark.parametrize("width", [40, 60, 80, 100])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"command": LONG, "name": LONG, "process_list": processes(5), "phases": phases(15)},
        {"phases": (), "gpus": (), "host": None, "recording": None},
        {"unseen": (LONG,) * 9, "limits": (LONG,) * 9, "gpus": FULL.gpus * 3},
    ],
)
def test_no_line_is_wider_than_the_terminal(width, changes):
    text = shown(width, **changes)

    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_no_line_ends_in_blanks():
    assert all(line == line.rstrip() for line in shown().splitlines())


def test_five_thousand_processes_are_still_one_screen_and_counted():
    text = shown(process_list=processes(5000), phases=phases(15), processes=5000)

    assert "8 of 5,000 processes shown" in text
    assert "8 of 15 phases shown" in text
    assert len(text.splitlines()) <= 45


def test_all_lists_every_one():
    text = shown(most_rows=None, process_list=processes(50), limits=tuple(f"Limit {at}." for at in range(9)))

    assert "shown" not in text
    assert text.count("python --an-option") == 50
    assert "Limit 8." in text


def test_programs_of_many_processes_say_how_many():
    text = shown(process_list=(ProcessUse("work", "python fit.py", 1200, 1.0, 1.0, 1, 1, 1),), processes=1200)

    assert "1,200 × python fit.py" in text


def test_sentences_left_out_are_counted():
    text = shown(limits=tuple(f"Limit {at}." for at in range(9)))

    assert "3 of 9 shown; --all tells the rest." in text
    assert "Limit 2." in text
    assert "Limit 3." not in text


def test_without_phases_it_says_how_to_mark_them():
    assert 'with longpole.phase("clean")' in shown(phases=())


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"state": "running", "exit_code": None}, "still going, 10.4 s so far"),
        ({"exit_code": 3}, "failed with exit code 3 after 10.4 s"),
        ({"exit_code": 139, "signal": 11}, "killed by SIGSEGV after 10.4 s"),
        ({"exit_code": 168, "signal": 40}, "killed by signal 40 after 10.4 s"),
        ({"state": "broken", "exit_code": None}, "broken off after 10.4 s"),
        ({"makespan_s": None}, "finished in an unknown time"),
        ({"attached": 1, "exit_code": None}, "recorded for 10.4 s"),
        ({"attached": 1, "exit_code": None, "state": "broken"}, "broken off after 10.4 s"),
    ],
)
def test_the_headline_says_how_it_ended(changes, outcome):
    assert outcome in shown(**changes).splitlines()[1]


def test_of_processes_that_were_attached_to_no_phases_are_asked_for():
    assert "longpole.phase" not in shown(phases=(), attached=1)


def test_what_is_not_known_is_a_question_mark():
    text = shown(cpu_user_s=None, read_bytes=None, storage_read_bytes=None, recording=None, host=None)

    assert "?  not known" in text
    assert "?  by system calls; ? from storage" in text
    assert "its cost is not known" in text
    assert "Host" not in text


def test_no_colour_where_it_is_no_terminal():
    assert "\x1b" not in shown()


def test_a_terminal_without_unicode_gets_plain_bars():
    text = shown(encoding="ascii")

    assert "####" in text
    assert "█" not in text


def test_a_run_from_a_stranger_cannot_steer_the_terminal():
    nasty = "\x1b[31mred\x07\r\nnext\u202e"
    process = ProcessUse(nasty, nasty, 1, 1.0, 1.0, 1, 1, 1)

    text = shown(
        name=nasty,
        command=nasty,
        started=nasty,
        run=nasty,
        gpus=(GpuUse(nasty, 1.0, 1, nasty),),
        phases=(PhaseSum(nasty, nasty, 1, 1.0, 1.0),),
        process_list=(process,),
        unseen=(nasty,),
        limits=(nasty,),
    )

    assert not set("\x1b\x07\r\u202e") & set(text)


def test_a_name_is_shown_as_it_is_and_not_as_markup():
    text = shown(name="[bold]x[/bold] :smile:", phases=(PhaseSum("phase", "[red]odd[/]", 1, 1.0, 1.0),))

    assert "[bold]x[/bold] :smile:" in text
    assert "[red]odd[/]" in text


def test_what_another_told_has_no_lines_of_what_is_not_known():
    text = shown(
        tasks=(TaskUse("map", 2, 0, 2, 0, None, 1.0, 5.0, 2.5, 2.5, None),),
        process_list=(ProcessUse("executor 1", "", 1, 5.0, 2.0, None, None, None),),
        makespan_s=10.4,
        cpu_user_s=5.2,
        cpu_system_s=None,
        recording=None,
    )

    assert "0.50 of 2 cores on average; user and system together" in text
    assert "by system calls" not in text
    assert "its cost is not known" not in text
