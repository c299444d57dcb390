"""Looking at a run of a workflow from outside: once, or until it ends."""

from __future__ import annotations

import sys
import time

from longpole.app.following import following, runs_option
from longpole.app.live_screen import screen_on
from longpole.app.standing import standing_in
from longpole.model.standing import RunState, Standing
from longpole.present.lines import Line, drawn, surface_of
from longpole.present.standing import standing_lines
from longpole.store.selection import RunEntry, entry_of

_LOOK_S = 0.5
# Reading a long log may take a while: looking on must not keep a core busy.
_SHARE = 0.1


def show_once(entry: RunEntry, *, everything: bool) -> None:
    """Write where a run stands."""
    lines = _page(standing_in(entry), entry, everything=everything)
    sys.stdout.write("\n".join(["", *drawn(lines, surface_of(sys.stdout)), "", ""]))


def watch_to_end(entry: RunEntry) -> None:
    """Draw where a run stands again and again, until it ends."""
    screen = screen_on(sys.stdout)
    while True:
        began = time.monotonic()
        standing = standing_in(entry)
        if standing.state is not RunState.RUNNING:
            screen.end(_page(standing, entry, everything=False))
            return
        screen.show(standing, "")
        time.sleep(max(_LOOK_S, (time.monotonic() - began) / _SHARE))
        entry = entry_of(entry.path)


def _page(standing: Standing, entry: RunEntry, *, everything: bool) -> list[Line]:
    nexts = following(standing, runs_option(entry.path))
    if everything:
        return standing_lines(standing, nexts, surface_of(sys.stdout), most=None)
    return standing_lines(standing, nexts, surface_of(sys.stdout))
