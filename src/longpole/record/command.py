"""Starting the user's command, as unchanged as a shell would start it."""

from __future__ import annotations

import errno
import os

from longpole.record.kernel import die_with_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from typing import NoReturn
else:
    import _signal as signal  # the bare module: ``signal`` makes enums, which takes longer than the rest

NOT_FOUND = 127
NOT_RUNNABLE = 126
# What ends with this is Longpole itself, and no command.
FAILED = 125

# Python ignores these from its start on; the command must not inherit that.
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


class CannotRunError(Exception):
    """The command could not be started; ``exit_code`` is what a shell would return for it."""

    def __init__(self, program: str, number: int) -> None:
        """Say which program, and the system's error number."""
        self.exit_code = NOT_FOUND if number in (errno.ENOENT, errno.ENOTDIR) else NOT_RUNNABLE
        reason = "command not found" if number == errno.ENOENT and "/" not in program else os.strerror(number)
        super().__init__(f"Cannot run '{program}': {reason}.")


def find_command(program: str) -> str:
    """Return the file of a program, before anything is recorded.

    Raises:
        CannotRunError: No file of that name can be executed.
    """
    if not program:
        raise CannotRunError(program, errno.ENOENT)
    folders = [""] if "/" in program else os.get_exec_path()
    paths = [os.path.join(folder, program) for folder in folders]
    for path in paths:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    unusable = any(os.path.exists(path) for path in paths)
    raise CannotRunError(program, errno.EACCES if unusable else errno.ENOENT)


class Inherited:
    """How signals stood when we were started, which is how the command is to find them."""

    __slots__ = ("child_ignored", "mask")

    def __init__(self, mask: set[int], *, child_ignored: bool) -> None:
        """Take the signals that were blocked, and whether SIGCHLD was ignored."""
        self.mask = mask
        self.child_ignored = child_ignored


def start_command(file: str, command: list[str], environment: dict[str, str], inherited: Inherited) -> int:
    """Start a file as the command, with our streams, our process group and the signals we inherited.

    Raises:
        CannotRunError: The system refused to execute it.
    """
    parent = os.getpid()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _become(inherited, parent, writing, lambda: _execute(file, command, environment))
    os.close(writing)
    failure = os.read(reading, 16)
    os.close(reading)
    if failure:
        os.waitpid(child, 0)
        raise CannotRunError(command[0], int(failure))
    return child


def _become(inherited: Inherited, parent: int, writing: int, execute: Callable[[], None]) -> NoReturn:
    """Turn this forked process into the command; tell the parent why if that fails."""
    try:
        die_with_parent(parent)
        for number in _IGNORED_BY_PYTHON:
            signal.signal(number, signal.SIG_DFL)
        if inherited.child_ignored:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, inherited.mask)
        execute()
    except OSError as error:
        os.write(writing, str(error.errno or errno.EINVAL).encode())
    finally:
        os._exit(NOT_FOUND)


def _execute(file: str, command: list[str], environment: dict[str, str]) -> None:
    try:
        os.execve(file, command, environment)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        # a script without a first line: every shell runs it by sh, and so does the C library
        os.execve("/bin/sh", ["/bin/sh", file, *command[1:]], environment)
