"""The scratch of a run: the folder that its jobs have their folders in, marked as made by us.

Where it lies is told by a run's log, and its name by the folder of the run. Both may be wrong, and all of it
is removed in the end: so nothing is worked in, or removed, that does not bear the mark.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress

from longpole.errors import UsageError

_MARK = ".longpole-scratch"
_RUN_ID = re.compile(r"[0-9a-f]{8}")


def is_run_id(text: str) -> bool:
    """Return whether a text is what the folder of a run ends in."""
    return _RUN_ID.fullmatch(text) is not None


def take_scratch(path: str) -> None:
    """Make the scratch of a run, or take the one that it has.

    Raises:
        UsageError: Something of another kind is there, or it cannot be made.
    """
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        if os.listdir(path) and not _is_marked(path):
            raise UsageError(
                f"The folder {path} is there, and was not made by this run. Choose another with --scratch."
            )
        os.close(os.open(os.path.join(path, _MARK), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise UsageError(
            f"Cannot make the folder {path}: {error.strerror}. Choose another with --scratch."
        ) from error


def remove_scratch(path: str) -> None:
    """Remove the scratch of a run with all that is in it; anything else stays.

    The mark goes last: where this is cut short, the next driver can take what is left.
    """
    if not (is_run_id(os.path.basename(path)) and _is_marked(path)):
        return
    for name in os.listdir(path):
        if name != _MARK:
            _remove(os.path.join(path, name))
    if os.listdir(path) == [_MARK]:
        shutil.rmtree(path, ignore_errors=True)


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        os.unlink(path)


def _is_marked(path: str) -> bool:
    """Return whether a folder itself, not one that a link leads to, has been made by us."""
    return not os.path.islink(path) and os.path.isfile(os.path.join(path, _MARK))
