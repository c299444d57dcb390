"""The command line but for ``record``: runs one command, and turns every error into a sentence and a code."""

from __future__ import annotations

import os
import sys

import click

from longpole._version import __version__
from longpole.app.menu import Menu
from longpole.errors import UNMEASURABLE, USAGE, LongpoleError

DEBUG = "LONGPOLE_DEBUG"
INTERRUPTED = 130
BROKEN_PIPE = 141


def cli(arguments: list[str]) -> int:
    """Run the command in the arguments; return the exit code to end with."""
    try:
        code = _dispatch(_without_help_command(arguments))
        sys.stdout.flush()
    except click.exceptions.Exit as request:
        return request.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        return _leave_pipe()
    except (LongpoleError, click.ClickException) as error:
        return _refuse(error)
    except Exception as error:  # noqa: BLE001  the last resort: no user should meet a traceback unasked
        return _fail(error)
    return code


def _without_help_command(arguments: list[str]) -> list[str]:
    """Read ``help COMMAND`` as ``COMMAND --help``, and nothing at all as a call for help."""
    if not arguments or arguments == ["help"]:
        return ["--help"]
    return [arguments[1], "--help"] if arguments[0] == "help" else arguments


def _dispatch(arguments: list[str]) -> int:
    if arguments[0] == "record":
        from longpole.app.record import record

        return record(arguments[1:])
    menu = _menu()
    if "_LONGPOLE_COMPLETE" in os.environ:
        menu.main(arguments, "longpole")
    with menu.make_context("longpole", list(arguments)) as context:
        return menu.invoke(context) or 0


def _menu() -> Menu:
    menu = Menu(
        "longpole", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
    )
    return click.version_option(__version__, prog_name="longpole", message="%(prog)s %(version)s")(menu)


def _refuse(error: LongpoleError | click.ClickException) -> int:
    if isinstance(error, LongpoleError):
        _say(str(error))
        return error.exit_code
    text = error.format_message()
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "longpole"
    _say(f"{text} '{path} --help' shows how it is used.")
    return USAGE


def _fail(error: Exception) -> int:
    if os.environ.get(DEBUG):
        import traceback

        traceback.print_exception(error)
        return UNMEASURABLE
    _say(f"Something unforeseen went wrong ({type(error).__name__}: {error}). Set {DEBUG}=1 to see where.")
    return UNMEASURABLE


def _leave_pipe() -> int:
    """End quietly when the reader of our output has gone; nothing more can be written there."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE


def _say(text: str) -> None:
    try:
        sys.stderr.write(f"longpole: {text}\n")
    except OSError:
        pass  # the user has closed it
