"""Work that the user declared in the attributes of marks: FLOPs and bytes, summed over each task.

A mark within another that declares the same is part of it, and counts for nothing more.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from longpole.analyse.arrays import Whole, whole
from longpole.analyse.mark_nesting import NONE, enclosing, outermost
from longpole.analyse.run_tables import RunTables
from longpole.analyse.run_units import Unit, Units
from longpole.errors import LongpoleError
from longpole.model.columns import Columns
from longpole.model.json_facts import facts_in
from longpole.model.quantity import parse_quantity
from longpole.model.resources import Dimension

# More than this nobody has done.
_MOST = 1e30
# Attribute of a mark -> resource.
WORK = {
    "flops": "flops",
    "bf16_flops": "bf16",
    "memory_bytes": "memory",
    "hbm_bytes": "hbm",
    "pcie_bytes": "pcie",
    "disk_read_bytes": "disk-read",
    "disk_write_bytes": "disk-write",
    "network_bytes": "network",
    "external_bytes": "external",
    "file_system_bytes": "file-system",
}


def declared_work(run: RunTables, units: Units) -> dict[int, dict[str, float]]:
    """Return what was declared, by place of the task and resource.

    Args:
        run: The run.
        units: Its tasks.
    """
    around = enclosing(run.marks)
    unit = _units_of_marks(run, units, around)
    said = _said(run.marks)
    found: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for at, work in said.items():
        if unit[at] == NONE:
            continue
        for resource, amount in work.items():
            if not _said_around(at, resource, around, said):
                found[int(unit[at])][resource] += amount
    return {at: dict(work) for at, work in found.items()}


def _said_around(at: int, resource: str, around: Whole, said: dict[int, dict[str, float]]) -> bool:
    above = int(around[at])
    while above != NONE:
        if resource in said.get(above, {}):
            return True
        above = int(around[above])
    return False


def _units_of_marks(run: RunTables, units: Units, around: Whole) -> Whole:
    if units.unit is Unit.MARK:
        place = np.full(len(around), NONE, np.int64)
        place[units.rows] = np.arange(len(units))
        return place[outermost(around)]
    owners = [units.owners.get(process, NONE) for process in whole(run.marks["process"]).tolist()]
    return np.array(owners, np.int64)


def _said(marks: Columns) -> dict[int, dict[str, float]]:
    texts = marks["attributes"].words or ()
    work = [_work(text) for text in texts]
    found = {}
    for at, text in enumerate(marks["attributes"]):
        if text is not None and (said := work[int(marks["attributes"].values[at])]):
            found[at] = said
    return found


def _work(text: str) -> dict[str, float]:
    """Return what attributes say of work; what is no amount is passed over."""
    attributes = facts_in(text)
    found = {}
    for key, resource in WORK.items():
        value = attributes.get(key)
        amount = _amount(value, Dimension.FLOPS if key.endswith("flops") else Dimension.BYTES)
        if amount:
            found[resource] = amount
    return found


def _amount(value: object, dimension: Dimension) -> float:
    if isinstance(value, str):
        try:
            value = parse_quantity(value, dimension)
        except LongpoleError:
            return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 < value < _MOST else 0.0
