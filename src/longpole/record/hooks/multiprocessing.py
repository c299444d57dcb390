"""Processes that ``multiprocessing`` starts, by any of its methods: who started them, and in which phase.

The start is a phase of its own with the child's pid. It is written when it has ended, and is never what a
child is forked in: that is the phase around it.
"""

from __future__ import annotations

from time import monotonic_ns

from longpole.record.client.phases import Past, write_past

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from longpole.record.hooks.patches import Patches


def apply(process: ModuleType, patches: Patches) -> None:
    """Watch the starts of processes."""
    patches.replace(process.BaseProcess, "start", lambda original: patches.around(original, _starting))


def _starting(args: tuple[Any, ...], _: dict[str, Any]) -> Any:
    start_ns = monotonic_ns()

    def end(_: Any, error: BaseException | None) -> None:
        past = Past("start process", "spawn", (start_ns, monotonic_ns()))
        past.failed = error is not None
        pid = getattr(getattr(args[0], "_popen", None), "pid", None)
        if isinstance(pid, int) and error is None:
            past.attributes = {"pid": pid}
        write_past(past)

    return end
