"""Traces of handmade runs: put into them as a user would, and where their phases then lie."""

from __future__ import annotations

from typing import Any

from longpole.app.grafting import Grafted, graft
from longpole.exchange.kineto import KINETO
from longpole.model.told import Told, Wishes
from longpole.store.run import StoredRun
from tests.builders import OFFSET, HandmadeLog, HandmadeRun
from tests.exchange.events import Row, event, trace

# The process that most of these traces are of, and its ring.
NUMBER, PID, RING = 1, 101, 2
_LIE_IN = """
    SELECT phases.name, phases.kind, above.name AS above, above.kind AS above_kind FROM phases
    JOIN phases above ON above.id = phases.parent
"""


def program(log: HandmadeLog, until: float = 1000) -> None:
    """Note the one process of a run, which is its command, from its begin until then, and its ring."""
    log.launcher()
    log.process(NUMBER, start=0)
    log.exit(NUMBER, 0, until)
    log.ring(RING, NUMBER)
    log.finish(PID, 0, until)


def traced(name: str, start: float, end: float, cat: str = "cpu_op", **more: Any) -> Row:
    """An event from one millisecond after boot to another."""
    return event(cat, name, str(start * 1000), str((end - start) * 1000), **{"pid": PID, "tid": PID, **more})


def told(*events: Row, name: str = "trace.json", **header: Any) -> Told:
    """What a trace with these events tells; its times count from the boot of the handmade host."""
    given = {"baseTimeNanoseconds": OFFSET, "deviceProperties": [], **header}
    return KINETO.read([trace(*events, name=name, **given)], Wishes())


def put(run: HandmadeRun, *events: Row, **header: Any) -> Grafted:
    """Put a trace with these events into a run."""
    (found,) = graft({"trace.json": told(*events, **header)}, run.path)
    return found


def lies_in(run: StoredRun) -> dict[Any, tuple[Any, Any]]:
    """Return for each phase, by name, the kind and name of what it is part of."""
    return {row["name"]: (row["above_kind"], row["above"]) for row in run.query(_LIE_IN).records()}
