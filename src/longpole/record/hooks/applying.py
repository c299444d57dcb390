"""Applying hooks: to a framework as soon as it is there, whoever's hook it is; and taking them off again."""

from __future__ import annotations

import os
import sys

from longpole.record.client.phases import recording
from longpole.record.hooks.patches import Patches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site")

_applied: list[Patches] = []


def apply_hook(hook: str, module: ModuleType) -> None:
    """Apply a hook to a module that is loaded: one of ours by its name, another's as ``module:function``.

    A hook is a function of the module and of ``Patches``. One that raises is taken back, and the run says so.
    """
    if not recording():
        return
    patches = Patches(hook)
    try:
        _function(hook)(module, patches)
    except (Exception, SystemExit) as error:  # noqa: BLE001  a hook that fails must not fail the program
        patches.give_up(error)
    else:
        _applied.append(patches)


def install(folder: str) -> Any:
    """Watch this process from now on, frameworks that are loaded already included.

    Returns:
        The watch, for ``uninstall``; None where it could not be set up: a program must run on without it.
    """
    try:
        watch = sys.modules.get("longpole_watch") or _load_watch()
        return watch.begin(folder)
    except Exception as error:  # noqa: BLE001
        Patches("watch").give_up(error)
        return None


def uninstall(watch: Any) -> None:
    """Leave this process as it was."""
    if watch is not None:
        watch.active = False
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not watch]
    while _applied:
        _applied.pop().undo()


def _load_watch() -> Any:
    """Load the watch, which is in no package, as the Pythons that are started under it do."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec: Any = spec_from_file_location("longpole_watch", os.path.join(SITE, "longpole_watch.py"))
    watch = sys.modules["longpole_watch"] = module_from_spec(spec)
    spec.loader.exec_module(watch)
    return watch


def _function(hook: str) -> Any:
    module, _, name = hook.partition(":")
    if not name:
        module, name = f"longpole.record.hooks.{hook}", "apply"
    __import__(module)  # ``importlib`` would cost its import in the user's program
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part)
    return found
