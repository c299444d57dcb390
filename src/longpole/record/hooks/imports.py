"""Imports as phases: written when a program has imported so much that it matters."""

from __future__ import annotations

from longpole.record.client.phases import Past, write_past

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Tuple

    # Name, begin, end, and where: the phase it ran in and the number of the thread, -1 for the present one.
    Imports = List[Tuple[str, int, int, Tuple[int, int]]]


def write_imports(waiting: Imports) -> None:
    """Write imports and take them off the list, from which another thread may be taking them as well."""
    while waiting:
        try:
            name, start_ns, end_ns, place = waiting.pop(0)
        except IndexError:
            return
        past = Past(name, "import", (start_ns, end_ns))
        past.parent, past.lane = place
        write_past(past)
