"""The watch on imports: how long they take, and when a framework comes in that there is a hook for.

A finder before all others. It lets every module be found and loaded by whoever would do so anyway, and only
stands beside: around imports that the program itself begins, and around modules that have a hook. This file
is loaded into every recorded Python by itself, before anything else of ours, and imports next to nothing:
even ``__future__`` would take a quarter of the time it has.
What it leaves out: imports that fail, and what is loaded without an import statement.
"""

import os
import sys
from _thread import _local, allocate_lock
from time import monotonic_ns, process_time_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
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

# An import shorter than this is no phase, and in a program that imports less than that in all, none is: to
# write them takes 4 ms, as our own package must be loaded for it. To look for hooks of others takes 2 ms.
_SHORTEST_NS = 1_000_000
_LITTLE_NS = 50_000_000
_A_WHILE_NS = 20_000_000
_TOLD_FROM_NS = 3_000_000

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# By this name the interpreter knows frames of importing, and leaves them out of tracebacks.
_IMPORTING = "<frozen importlib._bootstrap>"
# Up to this Python a module that nobody finds is known to end in the error below, and in nothing else.
_NOT_FOUND_IS_KNOWN = sys.version_info < (3, 15)


class Watch:
    """A finder that stands beside the others."""

    def __init__(self, folder: str = "") -> None:
        """Watch for the frameworks there are hooks for; ``folder`` hears how long small imports take."""
        self._folder = folder
        self._own_ns = 0
        self._tell_from_ns = _TOLD_FROM_NS
        self.hooks = {name: [hook] for name, hook in HOOKS.items()}
        self.active = True
        self.timing = _local()
        self._spent_ns = 0
        self._waiting: list[tuple[str, int, int, tuple[int, int]]] = []
        self._first_to_look = allocate_lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        """Begin anew: what the parent imported is not this process's time."""
        self._waiting.clear()
        self._own_ns, self._tell_from_ns = 0, _TOLD_FROM_NS

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        """Find nothing, except to stand beside the loading of what others find."""
        if name == "longpole":
            return _own_package()
        hooked = name in self.hooks
        if not self.active or (not hooked and getattr(self.timing, "inside", False)):
            return None
        importing, looking = _asked_to()
        if not (importing or (looking and hooked)):
            return None
        try:
            spec = _found_by_others(self, name, path, target)
        except BaseException as error:
            _without_frames(error, 2)
            raise
        if spec is None and importing and _NOT_FOUND_IS_KNOWN:
            # To return instead would have all others asked once more.
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None if spec is None or spec is NotImplemented else self._stand_beside(spec, name)

    def _stand_beside(self, spec: "Any", name: str) -> "Any":
        try:
            loader = spec.loader
            if _is_lazy(loader):
                loader.loader = Beside(self, loader.loader, name)
            elif hasattr(loader, "exec_module") and hasattr(loader, "create_module"):
                spec.loader = Beside(self, loader, name)
        except Exception:  # noqa: BLE001  a spec of its own kind
            pass
        return spec

    def loaded(self, name: str, module: "ModuleType") -> None:
        """Hear that a module is there; never raises."""
        for hook in self.hooks.pop(name, ()):
            try:
                from longpole.record.hooks.applying import apply_hook

                apply_hook(hook, module)
            except Exception:  # noqa: BLE001  our own package cannot be loaded here: nothing to say it with
                pass

    def took(self, name: str, start_ns: int, end_ns: int) -> None:
        """Hear how long an import took that the program began; never raises."""
        self._spent_ns += end_ns - start_ns
        self._own_ns += end_ns - start_ns
        if self._tell_from_ns <= self._own_ns < _LITTLE_NS:
            # More than this is written import by import; less is told by names of a few empty files.
            self._tell_from_ns = self._own_ns + self._own_ns // 2
            _leave_word(self._folder, f"{0:x}-{self._own_ns:x}-")
        if end_ns - start_ns >= _SHORTEST_NS:
            self._waiting.append((name, start_ns, end_ns, _place()))
        if self._spent_ns >= _LITTLE_NS and self._waiting:
            self._write_waiting()
        if self._spent_ns >= _A_WHILE_NS and self._first_to_look.acquire(False):
            self._look_for_others(name)

    def _write_waiting(self) -> None:
        try:
            from longpole.record.hooks.imports import write_imports

            write_imports(self._waiting)
        except Exception:  # noqa: BLE001
            pass

    def _look_for_others(self, just_loaded: str) -> None:
        try:
            for name, hook in _find_hooks():
                self.hooks.setdefault(name, []).append(hook)
                if name == just_loaded or _is_there(name):
                    self.loaded(name, sys.modules[name])
        except Exception:  # noqa: BLE001
            pass


class Beside:
    """A loader beside the one that loads: it looks at the clock, and is gone before the module begins."""

    def __init__(self, watch: "Watch", loader: "Any", name: str) -> None:
        """Stand beside ``loader``."""
        self._watch = watch
        self._loader = loader
        self._name = name
        self._start_ns = 0

    def __getattr__(self, name: str) -> "Any":
        """Be the loader in all else."""
        return getattr(self._loader, name)

    @property  # type: ignore[misc]
    def __class__(self) -> "Any":
        """Be of its class, for who asks."""
        return self._loader.__class__

    def __repr__(self) -> str:
        """Look like it."""
        return repr(self._loader)

    def create_module(self, spec: "Any") -> "Any":
        """Leave that to the loader; extension modules may do all their work in here."""
        timing, ours = self._watch.timing, spec.loader is self
        inside, timing.inside = getattr(timing, "inside", False), True
        if ours:
            spec.loader = self._loader
        self._start_ns = monotonic_ns()
        try:
            module = self._loader.create_module(spec)
        except BaseException as error:
            _without_frames(error, 1)
            raise
        finally:
            timing.inside = inside
        if ours:
            spec.loader = self
        return module

    def exec_module(self, module: "Any") -> None:
        """Let the loader do it, and see how long it takes."""
        watch, name = self._watch, self._name
        self._step_back(module)
        outermost = not getattr(watch.timing, "inside", False)
        watch.timing.inside = True
        start_ns = self._start_ns or monotonic_ns()
        try:
            self._loader.exec_module(module)
            end_ns = monotonic_ns()
            watch.loaded(name, sys.modules.get(name, module))
            if outermost:
                watch.took(name, start_ns, end_ns)
        except BaseException as error:
            _without_frames(error, 1)
            raise
        finally:
            if outermost:
                watch.timing.inside = False

    def _step_back(self, module: "Any") -> None:
        try:
            module.__spec__.loader = self._loader
            if module.__loader__ is self:
                module.__loader__ = self._loader
        except Exception:  # noqa: BLE001  what stands in for a module need not take attributes
            pass


for _seen in (Watch.find_spec, Beside.create_module, Beside.exec_module):
    _seen.__code__ = _seen.__code__.replace(co_filename=_IMPORTING)


def begin(folder: str, starting: bool = False) -> "Watch":  # noqa: FBT001, FBT002  Python 2 reads who calls
    """Begin to watch this process; ``folder`` hears that a Python was reached, and if this is its start."""
    watch = Watch(folder)
    sys.meta_path.insert(0, watch)
    _leave_word(folder, f"{monotonic_ns():x}-{process_time_ns():x}-" if starting else "")
    for name in HOOKS:
        if name in sys.modules and _is_there(name):
            watch.loaded(name, sys.modules[name])
    return watch


def _leave_word(folder: str, started: str) -> None:
    """Tell the agent that hooks could be loaded here: an empty file, which costs next to nothing.

    Its name has the pid and, where the interpreter has just started, when it was ready and the CPU time until
    then; or nought and how long imports have taken so far.
    """
    if not folder:
        return
    path = os.path.join(folder, f"{os.getpid()}-{started}{os.urandom(4).hex()}{MARKER_SUFFIX}")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError:
        pass  # the recording is over, or this process may not write there


def _asked_to() -> "tuple[bool, bool]":
    """Return whether the finder that calls this is asked to import a module, or to look where it is."""
    finder = sys._getframe(1).f_back
    asker = finder and finder.f_back
    name = asker.f_code.co_name if asker else ""
    return name == "_find_and_load_unlocked", name == "find_spec"


def _found_by_others(watch: "Watch", name: str, path: "Any", target: "Any") -> "Any":
    """Return what the finders behind the watch find; NotImplemented where one of them is of the old kind."""
    behind = False
    for finder in sys.meta_path:
        if behind:
            find = getattr(finder, "find_spec", None)
            if find is not None:
                spec = find(name, path, target)
                if spec is not None:
                    return spec
            elif sys.version_info < (3, 12):
                return NotImplemented
        behind = behind or finder is watch
    return None if behind else NotImplemented


def _without_frames(error: BaseException, count: int) -> None:
    """Take our frames out of the traceback of an exception that is about to be raised on."""
    for _ in range(count):
        trace = error.__traceback__
        if trace is not None:
            error.__traceback__ = trace.tb_next


def _is_lazy(loader: "Any") -> bool:
    util: Any = sys.modules.get("importlib.util")
    return util is not None and isinstance(loader, util.LazyLoader)


def _is_there(name: str) -> bool:
    """Return whether a module is loaded, and not only about to be: to touch a lazy one would load it."""
    module = sys.modules.get(name)
    if module is None or type(module).__name__ == "_LazyModule":
        return False
    return not getattr(getattr(module, "__spec__", None), "_initializing", False)


def _own_package() -> "Any":
    """Return our own package, of the version that records, wherever this Python would look for one."""
    from _frozen_importlib_external import spec_from_file_location  # no import at all: part of importing

    path = os.path.join(_PACKAGE, "__init__.py")
    return spec_from_file_location("longpole", path, submodule_search_locations=[_PACKAGE])


def _find_hooks() -> "list[tuple[str, str]]":
    """Return the hooks of others; what finds them is loaded by itself, as our package would take longer."""
    from _frozen_importlib_external import SourceFileLoader

    others: Any = type(sys)("longpole_others")
    path = os.path.join(_PACKAGE, "record", "hooks", "others.py")
    SourceFileLoader("longpole_others", path).exec_module(others)
    hooks: list[tuple[str, str]] = others.find_hooks()
    return hooks


def _place() -> "tuple[int, int]":
    """Return the phase this code runs in and the number of its thread; -1 where nobody could know yet."""
    try:
        client = sys.modules["longpole.record.client.phases"]
        return client.current(), client.lane()
    except (KeyError, AttributeError):
        return 0, -1
