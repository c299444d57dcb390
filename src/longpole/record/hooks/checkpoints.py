"""Checkpoints of PyTorch: ``torch.save`` and ``torch.load``, with the bytes of the file."""

from __future__ import annotations

import os
from time import monotonic_ns

from longpole.record.client.phases import Past, write_past
from longpole.record.hooks.events import SAVED
from longpole.record.hooks.loops import LOOPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.hooks.patches import Patches


def watch_checkpoints(torch: Any, patches: Patches) -> None:
    """Make a phase of every save and load."""
    patches.replace(torch, "save", lambda original: patches.around(original, _saving))
    patches.replace(torch, "load", lambda original: patches.around(original, _loading))


def _saving(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return _timed("save", kwargs["f"] if "f" in kwargs else args[1] if len(args) > 1 else None)


def _loading(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return _timed("load", kwargs["f"] if "f" in kwargs else args[0] if args else None)


def _timed(name: str, file: Any) -> Any:
    start_ns, before = monotonic_ns(), _position(file)

    def end(_: Any, error: BaseException | None) -> None:
        past = Past(name, "checkpoint", (start_ns, monotonic_ns()))
        past.failed = error is not None
        size = _size(file, before)
        if size is not None:
            past.attributes["bytes"] = size
        write_past(past)
        loop = LOOPS.here()
        if loop is not None:
            loop.append((SAVED, *past.times))
            if past.times[1] > loop.due_ns and not loop.led:  # nothing else may come
                loop.settle()

    return end


def _size(file: Any, before: int | None) -> int | None:
    """Return the size of a file that was written or read: the whole one, or what was moved of an open one."""
    if isinstance(file, (str, os.PathLike)):
        try:
            return os.stat(file).st_size
        except OSError:
            return None
    after = _position(file)
    return after - before if after is not None and before is not None and after >= before else None


def _position(file: Any) -> int | None:
    try:
        return None if file is None or isinstance(file, (str, os.PathLike)) else int(file.tell())
    except Exception:  # noqa: BLE001  a file that cannot tell
        return None
