"""The end of a process, however it comes: what must still be written then.

Children of ``multiprocessing`` leave without the interpreter's own farewell, and have one of their own. A process
that is killed, or calls ``os._exit``, has none.
"""

from __future__ import annotations

import atexit
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def at_end(action: Callable[[], None]) -> None:
    """Do this, once or more often, when the process ends."""
    atexit.register(action)
    farewell = sys.modules.get("multiprocessing.util")
    if farewell is not None:
        farewell.Finalize(None, action, exitpriority=0)
