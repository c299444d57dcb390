from __future__ import annotations

from longpole.model.overview import PhaseSum
from tests.present.samples import shown, step_use, trial

EPOCH = PhaseSum("epoch", "epoch", 5, 6.0, 0.6)
STEP = PhaseSum("step", "step", 1000, 5.0, 0.0)
TORCH = PhaseSum("import", "torch", 1, 1.5, 0.15)
DYNAMO = PhaseSum("import", "torch._dynamo", 1, 1.4, 0.14)
TINY = PhaseSum("import", "json", 1, 0.001, 0.0001)


def row(text, name):
    return next(line for line in text.splitlines() if line.startswith(f" {name} ")).split()[1:]


def test_what_the_table_of_steps_shows_is_not_repeated():
    text = shown(steps=(step_use(),), phases=(EPOCH, STEP))

    assert "60.0 %" in text
    assert "5.00 s" not in text
    assert "shown;" not in text


def test_all_lists_steps_without_a_share_and_says_why():
    text = shown(steps=(step_use(),), phases=(EPOCH, STEP), most_rows=None)

    assert row(text.partition("Time by phase")[2], "step") == ["5.00", "s", "1,000"]
    assert "steps and their parts take no share" in text


def test_imports_are_one_row_and_one_line():
    text = shown(phases=(EPOCH, TORCH, DYNAMO, TINY))

    assert row(text, "imports")[1:] == ["29.0", "%", "2.90", "s", "3"]
    assert "\n importing took 2.90 s: torch 1.50 s, torch._dynamo 1.40 s, and 1 more\n" in text


def test_all_lists_imports_one_by_one():
    text = shown(phases=(EPOCH, TORCH, DYNAMO), most_rows=None)

    assert "torch._dynamo (import)" in text
    assert "importing took" in text


def test_imports_of_many_processes_say_so():
    text = shown(phases=(EPOCH, PhaseSum("import", "torch", 8, 12.0, 0.2)))

    assert "importing took 12.0 s in all processes together: torch 12.0 s" in text


def test_short_imports_are_not_told_of():
    assert "importing" not in shown(makespan_s=10.0, phases=(EPOCH, PhaseSum("import", "json", 1, 0.4, 0.1)))
    assert "importing" in shown(makespan_s=10.0, phases=(EPOCH, PhaseSum("import", "json", 1, 0.5, 0.1)))
    assert "importing" in shown(makespan_s=100.0, phases=(EPOCH, PhaseSum("import", "json", 1, 1.0, 0.1)))


def test_imports_alone_are_no_table_of_phases():
    text = shown(phases=(TORCH,))

    assert 'with longpole.phase("clean")' in text
    assert "Time by phase" not in text
    assert "importing took 1.50 s: torch 1.50 s" in text


def test_who_trains_is_not_told_how_to_mark_phases():
    text = shown(phases=(STEP,), steps=(step_use(),))

    assert "No phases were marked" not in text
    assert "Time by phase" not in text


def test_trials_are_one_row_of_the_phases():
    phases = (EPOCH, *(PhaseSum("trial", f"trial {at}", 1, 2.0, 0.1) for at in range(4)))

    text = shown(phases=phases, trials=(trial(0),))

    assert row(text, "trials")[1:] == ["40.0", "%", "8.00", "s", "4"]
    assert "trial 3 (trial)" not in text
