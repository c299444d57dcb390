"""The end of a process, however it comes: what must still be written then.

Children of ``multiprocessing`` leave without the interpreter's own farewell, and have one of their own. A
process that is killed, or calls ``os._exit``, has none.
"""

from __future__ import annotations

import atexit
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# What is promised already, and in which process: a child of a fork has promises of its own to make.
_promised: dict[Callable[[], None], int] = {}


def at_end(action: Callable[[], None]) -> None:
    """Do this, once or more often, when the process ends; may be asked for again at no cost."""
    if _promised.get(action) == os.getpid():
        return
    _promised[action] = os.getpid()
    atexit.register(action)
    farewell = sys.modules.get("multiprocessing.util")
    if farewell is not None:
        farewell.Finalize(None, action, exitpriority=0)
