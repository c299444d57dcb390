"""The command line but for ``record``: runs one command, and turns every error into a sentence and a code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

from longpole._version import __version__
from longpole.errors import UNMEASURABLE, LongpoleError

DEBUG = "LONGPOLE_DEBUG"
INTERRUPTED = 130
BROKEN_PIPE = 141


def cli(arguments: list[str]) -> int:
    """Run the command in the arguments; return the exit code to end with."""
    return guarded(lambda: _run(_as_option(arguments)))


def guarded(work: Callable[[], int]) -> int:
    """Do some work; return its exit code, or say in a sentence what went wrong and return that one's."""
    try:
        _have_streams()
        _never_fail_to_encode()
        code = work()
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _leave_pipe()
    except LongpoleError as error:
        _say(str(error))
        return error.exit_code
    except Exception as error:  # noqa: BLE001  the last resort: no user should meet a traceback unasked
        return _fail(error)
    return code


def _have_streams() -> None:
    """Give a closed standard stream somewhere to go."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  it lasts as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _never_fail_to_encode() -> None:
    """Let a character that the terminal lacks become a question mark."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _as_option(arguments: list[str]) -> list[str]:
    """Read ``help COMMAND`` as ``COMMAND --help``, and nothing at all as a call for help."""
    if not arguments or arguments in (["help"], ["-h"]):
        return ["--help"]
    return [arguments[1], "--help"] if arguments[0] == "help" else arguments


def _run(arguments: list[str]) -> int:
    if "_LONGPOLE_COMPLETE" in os.environ:
        from longpole.app.group import complete_words

        complete_words()
    if arguments == ["--help"]:
        from longpole.app.menu import help_text

        sys.stdout.write(help_text())
        return 0
    if arguments == ["--version"]:
        sys.stdout.write(f"longpole {__version__}\n")
        return 0
    return _run_command(arguments)


def _run_command(arguments: list[str]) -> int:
    if arguments[0] == "record":
        from longpole.app.record import record

        return record(arguments[1:])
    from longpole.app.group import run_command

    return run_command(arguments)


def _fail(error: Exception) -> int:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EBADF, errno.EIO):
        _say(f"Cannot write the output: {error.strerror}.")
        _let_go_of_output()
        return UNMEASURABLE
    if os.environ.get(DEBUG):
        import traceback

        traceback.print_exception(error)
        return UNMEASURABLE
    _say(f"Something unforeseen went wrong ({type(error).__name__}: {error}). Set {DEBUG}=1 to see where.")
    return UNMEASURABLE


def _leave_pipe() -> int:
    """End quietly when the reader of our output has gone; nothing more can be written there."""
    _let_go_of_output()
    return BROKEN_PIPE


def _let_go_of_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    from longpole.model.text import visible

    try:  # several problems are one sentence on each line
        sys.stderr.writelines(f"longpole: {visible(line)}\n" for line in text.split("\n"))
    except OSError:
        pass  # the user has closed it
