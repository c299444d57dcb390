"""What ``longpole record`` understands, and how little it loads for that."""

from __future__ import annotations

import subprocess
import sys

import pytest

from longpole.app.record import HELP, parse
from longpole.errors import UsageError
from tests.recording import SOURCE


def test_processes_that_already_run_need_no_command():
    options, command = parse(["--pid", "12", "--name", "both", "--pid=13"])

    assert (options.pids, options.name, command) == ([12, 13], "both", [])


def test_an_option_behind_the_command_is_its_own():
    options, command = parse(["ps", "--pid", "12"])

    assert (options.pids, command) == ([], ["ps", "--pid", "12"])


def test_help_wins_over_all_else():
    options, command = parse(["--pid", "12", "--help"])

    assert (options.pids, command) == ([], [])


@pytest.mark.parametrize("value", ["", "0", "-1", "abc", "1.5", "\u0661", "9" * 5000])
def test_what_is_no_number_of_a_process_is_refused(value):
    with pytest.raises(UsageError, match="--pid needs the number of a process"):
        parse(["--pid", value])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["train.py"], "--pid records what already runs, so 'train.py' cannot be started with it."),
        (["--", "true"], "--pid records what already runs, so 'true' cannot be started with it."),
        (["--linger", "5"], "--linger is for a command that record starts; with --pid it has no meaning."),
        (["--detail", "auto"], "--detail is for a command that record starts; with --pid it has no meaning."),
    ],
)
def test_what_has_no_meaning_for_running_processes_is_refused(arguments, complaint):
    with pytest.raises(UsageError) as refusal:
        parse(["--pid", "12", *arguments])

    assert str(refusal.value) == complaint


def test_help_tells_every_option():
    assert all(
        f"\n  --{name}" in HELP
        for name in ("name", "rate", "detail", "files", "disk", "linger", "pid", "runs", "help")
    )


def test_recording_a_command_loads_nothing_that_takes_time():
    script = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import longpole.app.record; print(*sys.modules)"
    )

    done = subprocess.run([sys.executable, "-ISc", script], capture_output=True, text=True, check=True)

    loaded = set(done.stdout.split())
    heavy = {"click", "re", "json", "enum", "signal", "socket", "threading", "dataclasses", "typing", "numpy"}
    assert loaded.isdisjoint(heavy)
    assert loaded.isdisjoint({"longpole.record.attach", "longpole.record.agent", "longpole.model.text"})
