"""Runs first in every Python that a recorded command starts: this folder is put on its PYTHONPATH.

It sets the watch on imports up, takes its folder off ``sys.path`` again, and hands over to the sitecustomize
that would have run without it. Any Python may come by, so this file must be readable by Python 2.7 as well.
"""

import sys


def _begin():
    import os

    here = os.path.dirname(__file__)
    try:
        # Where recorders of two versions are around one command, the inner one comes first, and watches.
        if sys.version_info >= (3, 8) and "longpole_watch" not in sys.modules:
            folder = os.environ.get("LONGPOLE_RINGS")
            if folder:
                from longpole_watch import begin

                begin(folder, True)
    except Exception:  # noqa: BLE001  a recorder that fails never fails the program
        pass
    sys.path[:] = [path for path in sys.path if path not in (here, os.path.abspath(here))]


_ours = sys.modules.pop("sitecustomize", None)  # kept: Python 2 would clear what nobody holds
_begin()
try:
    import sitecustomize  # noqa: F401  the other one; where there is none, this fails as it does without us
except BaseException as _error:
    if getattr(_error, "__traceback__", None):
        _error.__traceback__ = _error.__traceback__.tb_next
    raise
