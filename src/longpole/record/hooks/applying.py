"""Applying hooks: to a framework as soon as it is there, whoever's hook it is; and taking them off again."""

from __future__ import annotations

import os
import sys
from importlib import import_module

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
    except Exception as error:  # noqa: BLE001  a hook that fails must not fail the program
        patches.give_up(error)
    else:
        _applied.append(patches)


def install(folder: str) -> Any:
    """Watch this process from now on, frameworks that are loaded already included; return the watch."""
    if SITE not in sys.path:
        sys.path.append(SITE)
    try:
        watch = import_module("longpole_watch")
    finally:
        sys.path.remove(SITE)
    return watch.begin(folder)


def uninstall(watch: Any) -> None:
    """Leave this process as it was."""
    watch.active = False
    if watch in sys.meta_path:
        sys.meta_path.remove(watch)
    while _applied:
        _applied.pop().undo()


def _function(hook: str) -> Any:
    module, _, name = hook.partition(":")
    if not name:
        module, name = f"longpole.record.hooks.{hook}", "apply"
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found
