"""Hooks are applied to a process that runs already, and taken off again."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longpole.record.client.phases import start_recording
from longpole.record.hooks.applying import apply_hook, install, uninstall

HOOK = """
def watch(library, patches):
    patches.phase(library, "work", "call")
    for name in vars(library).get("missing", []):
        patches.phase(library, name, "call")
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A library and a hook for it, in a process that is recorded."""
    hook = types.ModuleType("hook_of_library")
    exec(HOOK, vars(hook))
    monkeypatch.setitem(sys.modules, "hook_of_library", hook)
    library: Any = types.ModuleType("library")
    exec("def work(): return 3", vars(library))
    start_recording(str(tmp_path))
    yield library
    start_recording("")


def test_install_and_uninstall_leave_the_process_as_it_was(library: Any, tmp_path: Path) -> None:
    finders, path, work = list(sys.meta_path), list(sys.path), library.work

    watch = install(str(tmp_path))
    apply_hook("hook_of_library:watch", library)
    during = sys.meta_path[0] is watch, library.work is work, library.work()
    uninstall(watch)

    assert during == (True, False, 3)
    assert (sys.meta_path, sys.path, library.work) == (finders, path, work)
    assert len(list(tmp_path.glob("*.python"))) == 1


def test_install_and_uninstall_may_follow_each_other(library: Any, tmp_path: Path) -> None:
    work = library.work
    for _ in range(3):
        watch = install(str(tmp_path))
        apply_hook("hook_of_library:watch", library)
        assert library.work is not work
        uninstall(watch)

    assert library.work is work


def test_hook_that_fails_half_way_is_taken_back(library: Any) -> None:
    library.missing, work = ["absent"], library.work

    apply_hook("hook_of_library:watch", library)

    assert library.work is work


def test_nothing_is_applied_where_nothing_is_recorded(library: Any) -> None:
    start_recording("")
    work = library.work

    apply_hook("hook_of_library:watch", library)

    assert library.work is work


def test_watch_that_cannot_be_set_up_is_done_without(
    library: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "longpole_watch", types.ModuleType("longpole_watch"))
    finders = list(sys.meta_path)

    watch = install(str(tmp_path))
    uninstall(watch)

    assert watch is None
    assert sys.meta_path == finders
