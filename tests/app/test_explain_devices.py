"""``longpole explain`` of a training on a GPU, some of whose steps were timed on the device as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longpole.app.explaining import explain_run
from longpole.app.imports import keep
from longpole.exchange.rows import as_columns, times
from longpole.model.explanation import Explanation
from longpole.model.told import Told
from longpole.store.run import open_run

MS = 1_000_000


def explained(runs: Path, *, timed: bool) -> Explanation:
    """Explain 60 steps of a second that wait for data for 400 ms; what the device did goes on after each."""
    rows: list[dict[str, Any]] = []

    def add(kind: str, name: str, start_ms: int, end_ms: int, parent: int | None = None) -> int:
        known = {
            "id": len(rows) + 1,
            "parent": parent,
            "kind": kind,
            "name": name,
            "count": 1,
            "status": "ok",
        }
        rows.append({**known, **times(start_ms * MS, end_ms * MS)})
        return len(rows)

    epoch = add("epoch", "epoch", 0, 61_000)
    for start in range(0, 60_000, 1000):
        step = add("step", "step", start, start + 1000, epoch)
        add("data", "data", start, start + 400, step)
        if timed and not start % 3000:
            device = add("device", "step", start + 450, start + 1300, epoch)
            add("device", "forward", start + 450, start + 900, device)
    told = Told("somebody", "train", {"phases": as_columns("phases", rows)})
    with open_run(keep(told, runs)) as run:
        return explain_run(run).explanation


def test_steps_timed_on_the_device_change_neither_blame_nor_savings(tmp_path: Path) -> None:
    plain, timed = (explained(tmp_path, timed=one) for one in (False, True))

    assert timed.blame == plain.blame
    assert timed.findings == plain.findings
    assert plain.findings[0].rule == "data-loading"
