from __future__ import annotations

import subprocess
import sys

import click
import pytest

from longpole.app import main
from longpole.app.group import Group
from longpole.app.menu import MENU, NAMES
from longpole.errors import DamagedRunError, UsageError


@pytest.fixture
def failing(monkeypatch):
    """A function that lets every command fail with an error."""

    def fail_with(error):
        def raise_it():
            raise error

        monkeypatch.setattr(Group, "get_command", lambda *_: click.Command("x", callback=raise_it))

    return fail_with


def test_help_lists_every_command_in_its_section(call):
    done = call("--help")

    assert (done.returncode, done.stderr) == (0, "")
    for section, commands in MENU.items():
        assert f"\n{section}:\n" in done.stdout
        assert all(f"  {name:<10}  {text}" in done.stdout for name, text in commands.items())
    assert "Examples:" in done.stdout


def test_help_loads_no_command_and_no_heavy_library():
    script = "from longpole.app.main import cli; import sys; cli(['--help']); print(*sorted(sys.modules))"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    loaded = set(done.stdout.splitlines()[-1].split())
    assert loaded.isdisjoint({"click", "rich", "duckdb", "numpy", "msgspec", "dataclasses", "longpole.store"})
    assert not [name for name in loaded if name.startswith("longpole.app.commands.")]


@pytest.mark.parametrize("arguments", [[], ["help"], ["-h"]])
def test_nothing_at_all_is_a_call_for_help(call, arguments):
    assert call(*arguments).stdout == call("--help").stdout


@pytest.mark.parametrize("name", NAMES)
def test_every_command_explains_itself(call, name):
    done = call("help", name)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: longpole {name}")
    assert done.stdout == call(name, "--help").stdout


def test_help_is_the_same_beside_other_options(call):
    assert call("--help", "show").stdout == call("--help").stdout


def test_version(call):
    assert call("--version").stdout.startswith("longpole 0.")


def test_an_unknown_command_is_a_usage_error_that_names_close_ones(call):
    done = call("shwo")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("longpole: There is no command 'shwo'. Did you mean 'show'?")


@pytest.mark.parametrize(
    "arguments", [["--nosuch"], ["show", "--nosuch"], ["export"], ["export", "--to", "x"]]
)
def test_wrong_usage_is_one_line_and_exit_code_2(call, arguments):
    done = call(*arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("longpole: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("error", "code"), [(UsageError("No."), 2), (DamagedRunError("Broken."), 3)])
def test_an_error_of_ours_is_a_sentence_and_its_code(failing, capsys, error, code):
    failing(error)

    assert main.cli(["show"]) == code
    assert capsys.readouterr().err == f"longpole: {error}\n"


def test_each_of_several_problems_is_on_a_line_of_its_own(failing, capsys):
    failing(UsageError("One.\nTwo \x1b[2J."))

    assert main.cli(["show"]) == 2
    assert capsys.readouterr().err == "longpole: One.\nlongpole: Two \\x1b[2J.\n"


def test_any_other_error_is_a_sentence_and_a_way_to_see_more(failing, capsys, monkeypatch):
    failing(ZeroDivisionError("oops"))
    monkeypatch.delenv(main.DEBUG, raising=False)

    assert main.cli(["show"]) == 3
    said = capsys.readouterr().err
    assert "ZeroDivisionError: oops" in said
    assert "LONGPOLE_DEBUG=1" in said
    assert "Traceback" not in said


def test_a_traceback_can_be_asked_for(failing, capsys, monkeypatch):
    failing(ZeroDivisionError("oops"))
    monkeypatch.setenv(main.DEBUG, "1")

    assert main.cli(["show"]) == 3
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_is_130(failing):
    failing(KeyboardInterrupt())

    assert main.cli(["show"]) == 130


def test_a_reader_that_goes_away_is_met_quietly(recorded):
    with subprocess.Popen(
        recorded.command("--help"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=recorded.environment()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_completion_of_a_shell_is_answered(call):
    done = call(_LONGPOLE_COMPLETE="bash_complete", COMP_WORDS="longpole sh", COMP_CWORD="1")

    assert "show" in done.stdout
