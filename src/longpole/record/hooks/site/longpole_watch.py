"""The watch on imports: how long they take, and when a framework comes in that there is a hook for.

A finder before all others. It lets every module be found and loaded by whoever would do so anyway, and only
stands beside: around imports that the program itself begins, and around modules that have a hook. This file
is loaded into every recorded Python by itself, before anything else of ours, and imports next to nothing.
"""

from __future__ import annotations

import os
import sys
from _thread import _local
from time import monotonic_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

# Module to wait for -> hook of ours. Hooks of others are looked for when imports have taken a while.
HOOKS = {
    "torch": "torch",
    "keras": "keras",
    "lightning.pytorch": "lightning",
    "pytorch_lightning": "lightning",
    "sklearn.base": "sklearn",
    "optuna": "optuna",
    "joblib": "joblib",
    "multiprocessing.process": "multiprocessing",
}
MARKER_SUFFIX = ".python"

# An import shorter than this is no phase of its own, and a program that imports less than this in all, none.
_SHORTEST_NS = 1_000_000
_LITTLE_NS = 10_000_000
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# By this name the interpreter knows frames of importing, and leaves them out of tracebacks.
_IMPORTING = "<frozen importlib._bootstrap>"


class Watch:
    """A finder that stands beside the others."""

    def __init__(self) -> None:
        """Watch for the frameworks there are hooks for."""
        self.hooks: dict[str, Any] = dict(HOOKS)
        self.active = True
        self.timing = _local()
        self._early: list[tuple[str, int, int]] | None = []
        self._spent_ns = 0

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find nothing, except to stand beside the loading of what others find."""
        if name == "longpole":
            return _own_package()
        hooked = name in self.hooks
        if not self.active or (not hooked and getattr(self.timing, "inside", False)) or not _importing():
            return None
        try:
            spec = _found_by_others(self, name, path, target)
            if spec is not None and hasattr(spec.loader, "exec_module"):
                spec.loader = Beside(self, spec.loader, name)
            return spec
        except ImportError:
            return None  # let the others say so themselves

    def loaded(self, name: str, module: ModuleType) -> None:
        """Hear that a module is there; never raises."""
        hook = self.hooks.pop(name, None)
        if hook is not None:
            try:
                from longpole.record.hooks.applying import apply_hook

                apply_hook(hook, module)
            except Exception:  # noqa: BLE001, S110  our own package cannot be loaded here: nothing to say it with
                pass

    def took(self, name: str, start_ns: int, end_ns: int) -> None:
        """Hear how long an import took that the program began; never raises."""
        self._spent_ns += end_ns - start_ns
        if end_ns - start_ns >= _SHORTEST_NS:
            if self._early is not None:
                self._early.append((name, start_ns, end_ns))
            else:
                _write_imports([(name, start_ns, end_ns)])
        if self._early is not None and self._spent_ns >= _LITTLE_NS:
            early, self._early = self._early, None
            _write_imports(early)
            self._look_for_others()

    def _look_for_others(self) -> None:
        try:
            from longpole.record.hooks.others import find_hooks

            for name, hook in find_hooks().items():
                self.hooks.setdefault(name, hook)
                if name in sys.modules:
                    self.loaded(name, sys.modules[name])
        except Exception:  # noqa: BLE001, S110
            pass


class Beside:
    """A loader beside the one that loads: it looks at the clock, and is gone before the module begins."""

    def __init__(self, watch: Watch, loader: Any, name: str) -> None:
        """Stand beside ``loader``."""
        self._watch = watch
        self._loader = loader
        self._name = name

    def __getattr__(self, name: str) -> Any:
        """Be the loader in all else."""
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        """Leave that to the loader."""
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        """Let the loader do it, and see how long it takes."""
        watch, name = self._watch, self._name
        module.__spec__.loader = module.__loader__ = self._loader
        outermost = not getattr(watch.timing, "inside", False)
        watch.timing.inside = True
        start_ns = monotonic_ns()
        try:
            self._loader.exec_module(module)
            end_ns = monotonic_ns()
            watch.loaded(name, sys.modules.get(name, module))
            if outermost:
                watch.took(name, start_ns, end_ns)
        finally:
            if outermost:
                watch.timing.inside = False


Beside.exec_module.__code__ = Beside.exec_module.__code__.replace(co_filename=_IMPORTING)


def begin(folder: str) -> Watch:
    """Begin to watch this process; ``folder`` hears that a Python was reached."""
    watch = Watch()
    sys.meta_path.insert(0, watch)  # type: ignore[arg-type]
    _leave_word(folder)
    for name in [name for name in watch.hooks if name in sys.modules]:
        watch.loaded(name, sys.modules[name])
    return watch


def _leave_word(folder: str) -> None:
    """Tell the agent that hooks could be loaded here: an empty file, which costs next to nothing."""
    path = os.path.join(folder, f"{os.getpid()}-{os.urandom(4).hex()}{MARKER_SUFFIX}")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError:
        pass  # the recording is over, or this process may not write there


def _importing() -> bool:
    """Return whether a module is about to be imported, and not only asked for."""
    caller = sys._getframe(3)
    return caller.f_code.co_name == "_find_and_load_unlocked"


def _found_by_others(watch: Watch, name: str, path: Any, target: Any) -> Any:
    for finder in sys.meta_path:
        find: Callable[..., Any] | None = getattr(finder, "find_spec", None)
        if find is not None and finder is not watch:
            spec = find(name, path, target)
            if spec is not None:
                return spec
    return None


def _own_package() -> Any:
    """Return our own package, of the version that records, wherever this Python would look for one."""
    from _frozen_importlib_external import (
        spec_from_file_location,
    )  # no import at all, as it is part of importing

    return spec_from_file_location(
        "longpole", os.path.join(_PACKAGE, "__init__.py"), submodule_search_locations=[_PACKAGE]
    )


def _write_imports(imports: list[tuple[str, int, int]]) -> None:
    try:
        from longpole.record.client.phases import Past, write_past

        for name, start_ns, end_ns in imports:
            write_past(Past(name, "import", (start_ns, end_ns)))
    except Exception:  # noqa: BLE001, S110
        pass
