"""Events: what frameworks do, as far as it tells where steps begin and end, and the epochs it happens in.

An event is what, when (by the monotonic clock), and which: a number or a name that tells one loader, model or
optimizer from others.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Event = tuple[int, int, Any]

(
    FETCH,
    FETCHED,
    CALL,
    CALL_TO_INFER,
    RETURN,
    RETURN_WITHOUT_GRADIENTS,
    BACK,
    BACK_DONE,
    OPTIMIZE,
    OPTIMIZED,
    SAVED,
    INFERRED,
    FAILED,
    ENTER,
    STEPPED,
) = range(15)

# Called when a loop has begun or ended, or no longer wants the same events.
LISTENERS: list[Callable[[], None]] = []
# Not empty while every event of every loop is wanted.
CLOSELY: list[bool] = []
# Epochs under way in this process, by the iterator that is looped over.
EPOCHS: dict[int, Any] = {}
# Models that were called, by the name of their class: how to get at it while it lives, parameters and bytes.
MODELS: dict[str, tuple[Callable[[], Any], int, int]] = {}


def tell_listeners() -> None:
    """Say that a loop has begun or ended, or no longer wants the same events. Never raises."""
    for listen in tuple(LISTENERS):
        try:
            listen()
        except Exception:  # noqa: BLE001  whoever listens, the program must go on
            continue
