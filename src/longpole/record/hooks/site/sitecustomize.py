"""Runs first in every Python that a recorded command starts: this folder is put on its PYTHONPATH.

It sets the watch on imports up, takes its folder off ``sys.path`` again, and hands over to the sitecustomize
that would have run without it. Any Python may come by, so this file must be readable by Python 2.7 as well.
"""

import sys


def _begin():
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    try:
        if sys.version_info >= (3, 8) and os.environ.get("LONGPOLE_RINGS"):
            from longpole_watch import begin

            begin(os.environ["LONGPOLE_RINGS"])
    except Exception:  # noqa: BLE001  a recorder that fails never fails the program
        pass
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]


def _hand_over():
    ours = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401, PLW0406  another one, now that ours is out of the way
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", ours)


_begin()
_hand_over()
