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
                _load_watch(os, here, folder).begin(folder)
    except Exception:  # noqa: BLE001  a recorder that fails never fails the program
        pass
    sys.path[:] = [path for path in sys.path if path not in (here, os.path.abspath(here))]


def _load_watch(os, here, folder):
    kept = os.path.join(here, "__pycache__", "longpole_watch.%s.pyc" % sys.implementation.cache_tag)
    may_keep = not sys.dont_write_bytecode and os.access(os.path.dirname(kept), os.W_OK)
    if not may_keep and not os.path.exists(kept):
        try:
            _load_for_all(os, os.path.join(here, "longpole_watch.py"), folder)
        except Exception:  # noqa: BLE001  then without, as any module
            pass
    import longpole_watch

    return longpole_watch


def _load_for_all(os, source, folder):
    """Load the watch where its bytecode cannot be kept beside it: kept with the rings, it serves this run."""
    from _frozen_importlib_external import SourceFileLoader  # no import at all: part of importing

    class Loader(SourceFileLoader):
        def get_data(self, path):
            return SourceFileLoader.get_data(self, self._place(path))

        def set_data(self, path, data, _mode=0o600):
            SourceFileLoader.set_data(self, self._place(path), data, _mode=_mode)

        def _place(self, path):
            return path if path == source else os.path.join(folder, os.path.basename(path))

    watch = type(sys)("longpole_watch")
    watch.__file__ = source
    keeps_none, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        Loader("longpole_watch", source).exec_module(watch)
    finally:
        sys.dont_write_bytecode = keeps_none
    sys.modules["longpole_watch"] = watch


_ours = sys.modules.pop("sitecustomize", None)  # kept: Python 2 would clear what nobody holds
_begin()
try:
    import sitecustomize  # noqa: F401  the other one; where there is none, this fails as it does without us
except BaseException as _error:
    if getattr(_error, "__traceback__", None):
        _error.__traceback__ = _error.__traceback__.tb_next
    raise
