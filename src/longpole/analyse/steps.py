"""Steps of training and inference: how many, how long, and what their time went into.

Method: steps that were noted one by one and rows that stand for many are added up by process and kind. Counts
and totals are exact. Percentiles are exact where all steps were noted; else all are put into the bins of the
histograms (see ``tallies``). A checkpoint counts in a step where it lies within one of the same thread,
outside its other parts. Steps whose parts were not looked at are taken to have the shares, checkpoints apart,
of those where they were; those noted lightly, of which only the wait for data is known, are taken to spend
the rest of their time as the others do. What the parts leave is ``other``. Steps that the user has marked, by
a name of their own, are kept apart: they may hold the steps that a hook saw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from longpole.analyse.phases import STEP_KINDS, Sum
from longpole.analyse.tallies import PARTS, Bin, bins_of, percentile, read_tally
from longpole.analyse.values import Row, number, whole, word
from longpole.model.columns import Columns
from longpole.model.overview import StepUse

_NEVER_IN_INFERENCE = ("backward", "optimizer")
_COMPUTED = ("forward", "backward", "optimizer")
_NAMELESS = "?"

# The process, the kind, and the user's own name.
Key = tuple[int | None, str, str]


@dataclass(frozen=True, slots=True)
class Counting:
    """How many steps were noted one by one, how many only counted, and of how many no parts are known.

    Attributes:
        noted: Steps noted one by one.
        counted: Steps that were only counted.
        without_parts: Those among them of which no parts are known.
        light: Steps noted one by one of whose parts only the wait for data is known.
    """

    noted: int = 0
    counted: int = 0
    without_parts: int = 0
    light: int = 0


@dataclass(slots=True)
class _Steps:
    """Steps of one process and kind while they are added up."""

    name: str = _NAMELESS
    noted: int = 0
    counted: int = 0
    without_parts: int = 0
    total_ns: float | None = None
    partless_ns: float = 0.0
    light: int = 0
    light_ns: float = 0.0
    light_saved_ns: float = 0.0
    exact_ns: dict[str, float | None] = field(default_factory=dict)
    parts_ns: Counter[str] = field(default_factory=Counter)
    noted_bins: dict[int, int] = field(default_factory=dict)
    bins: list[Bin] = field(default_factory=list)


def step_uses(steps: Columns, processes: Columns) -> tuple[StepUse, ...]:
    """Return the steps of each process and kind: training first, then by process.

    Args:
        steps: Columns ``what``, ``process``, ``kind``, ``mark`` (the user's own name), ``name``, ``part``,
            ``part_name``, ``count``, ``total_ns``, ``low_ns``, ``high_ns``, ``p50_ns``, ``p95_ns`` and
            ``attributes``. A row is what it says: all steps noted one by one (full), those of them in one bin
            (bin, which ``low_ns`` begins), those noted lightly (light, whose waits are ``low_ns``), those of
            which no parts were looked at (cut), parts of them (part), checkpoints in them (checkpoint, whose
            ``part_name`` is light if the step is), or a row that stands for many (sum).
        processes: Columns ``id``, ``pid``, ``rank`` and ``world``.
    """
    found = _added_up(steps)
    if not found:
        return ()
    known = {whole(row["id"]): row for row in processes.records()}
    kinds = list(STEP_KINDS)
    order = sorted(found, key=lambda key: (kinds.index(key[1]), key[0] is None, key[0] or 0, key[2]))
    return tuple(_use(key, found[key], known.get(key[0], {})) for key in order)


def counting(steps: Columns) -> Counting:
    """Return how far steps are known one by one."""
    found = _added_up(steps).values()
    return Counting(
        sum(one.noted for one in found),
        sum(one.counted for one in found),
        sum(one.without_parts for one in found if one.parts_ns),
        sum(one.light for one in found),
    )


def parts_of_steps(steps: Columns) -> dict[tuple[str, str], Sum]:
    """Return, by kind and name, the phases that are parts of steps."""
    found: dict[tuple[str, str], Sum] = {}
    for row in steps.records():
        if row["what"] == "part":
            one = found.setdefault((word(row["part"]), word(row["part_name"])), Sum())
            one.count += whole(row["count"]) or 0
            one.total_ns += whole(row["total_ns"]) or 0
    return found


def _added_up(steps: Columns) -> dict[Key, _Steps]:
    found: dict[Key, _Steps] = {}
    for row in steps.records():
        if row["kind"] in STEP_KINDS:
            key = whole(row["process"]), word(row["kind"]), word(row["mark"])
            _ADD[word(row["what"])](found.setdefault(key, _Steps()), row)
    return found


def _add_full(steps: _Steps, row: Row) -> None:
    steps.noted += _add_time(steps, row)
    steps.exact_ns = {name: number(row[name]) for name in ("low_ns", "high_ns", "p50_ns", "p95_ns")}


def _add_bin(steps: _Steps, row: Row) -> None:
    steps.noted_bins[whole(row["low_ns"]) or 0] = whole(row["count"]) or 0


def _add_light(steps: _Steps, row: Row) -> None:
    steps.light += whole(row["count"]) or 0
    steps.light_ns += max(0, (whole(row["total_ns"]) or 0) - (whole(row["low_ns"]) or 0))


def _add_cut(steps: _Steps, row: Row) -> None:
    steps.partless_ns += max(0, whole(row["total_ns"]) or 0)


def _add_part(steps: _Steps, row: Row) -> None:
    steps.parts_ns[word(row["part"])] += max(0, whole(row["total_ns"]) or 0)


def _add_checkpoint(steps: _Steps, row: Row) -> None:
    _add_part(steps, row)
    if row["part_name"] == "light":
        steps.light_saved_ns += max(0, whole(row["total_ns"]) or 0)


def _add_sum(steps: _Steps, row: Row) -> None:
    many, total = _add_time(steps, row), number(row["total_ns"]) or 0.0
    tally = read_tally(word(row["attributes"]))
    steps.counted += many
    steps.parts_ns.update(tally.parts_ns)
    if not tally.parts_ns:
        steps.without_parts += many
        steps.partless_ns += max(0.0, total)
    if tally.bins or total > 0:
        steps.bins += bins_of(tally.bins, total, many)


def _add_time(steps: _Steps, row: Row) -> int:
    many, total = max(0, whole(row["count"]) or 0), number(row["total_ns"])
    if steps.name == _NAMELESS or many > steps.noted + steps.counted:
        steps.name = word(row["name"])
    if total is not None:
        steps.total_ns = (steps.total_ns or 0.0) + max(0.0, total)
    return many


_ADD = {
    "full": _add_full,
    "bin": _add_bin,
    "light": _add_light,
    "cut": _add_cut,
    "part": _add_part,
    "checkpoint": _add_checkpoint,
    "sum": _add_sum,
}


def _use(key: Key, steps: _Steps, process: Row) -> StepUse:
    count, total, parts = steps.noted + steps.counted, steps.total_ns, _seconds_of_parts(key[1], steps)
    p50, p95 = (_percentile(steps, name, share) for name, share in (("p50_ns", 0.5), ("p95_ns", 0.95)))
    pid, rank, world = (whole(process.get(name)) for name in ("pid", "rank", "world"))
    return StepUse(
        process=key[0],
        pid=pid,
        rank=rank,
        world=world,
        kind=STEP_KINDS[key[1]],
        name=steps.name,
        count=count,
        mean_s=None if total is None or not count else total / count / 1e9,
        p50_s=p50,
        p95_s=p95,
        **{f"{part}_s": seconds for part, seconds in parts.items()},
        total_s=None if total is None else total / 1e9,
    )


def _seconds_of_parts(kind: str, steps: _Steps) -> dict[str, float | None]:
    """Return the seconds of each part and of the rest; nothing is known where no part was ever seen."""
    if steps.total_ns is None or not steps.parts_ns:
        never = _NEVER_IN_INFERENCE if kind == "inference" else ()
        return {part: 0.0 if part in never else None for part in (*PARTS, "other")}
    seen_ns = steps.total_ns - steps.partless_ns
    parts = _with_light({part: float(steps.parts_ns[part]) for part in PARTS}, seen_ns, steps)
    # A checkpoint may lie within another part where steps were only counted: it gives way.
    room_ns = seen_ns - sum(ns for part, ns in parts.items() if part != "checkpoint")
    parts["checkpoint"] = max(0.0, min(parts["checkpoint"], room_ns))
    usual_ns = seen_ns - parts["checkpoint"]
    scale = 1 + steps.partless_ns / usual_ns if usual_ns > 0 else 1.0
    parts = {part: ns if part == "checkpoint" else ns * scale for part, ns in parts.items()}
    parts["other"] = max(0.0, steps.total_ns - sum(parts.values()))
    return {part: ns / 1e9 for part, ns in parts.items()}


def _with_light(parts: dict[str, float], seen_ns: float, steps: _Steps) -> dict[str, float]:
    """Return the parts as if steps noted lightly, but for waits and checkpoints, went as those in full."""
    both_ns = seen_ns - parts["data"] - parts["checkpoint"]
    light_ns = max(0.0, steps.light_ns - steps.light_saved_ns)
    computed_ns = sum(parts[part] for part in _COMPUTED)
    if not light_ns or both_ns <= light_ns or not computed_ns:
        return parts
    scale = min(both_ns / (both_ns - light_ns), max(1.0, both_ns / computed_ns))
    return {part: ns * scale if part in _COMPUTED else ns for part, ns in parts.items()}


def _percentile(steps: _Steps, name: str, share: float) -> float | None:
    exact = steps.exact_ns
    if not steps.bins:
        found = exact.get(name)
    else:
        found = percentile([*_within(steps.noted_bins, exact), *steps.bins], share)
    return None if found is None else found / 1e9


def _within(full: Mapping[int, int], exact: Mapping[str, float | None]) -> list[Bin]:
    """Return the bins of steps that were noted: from the shortest of them to the longest."""
    bins = bins_of(full, 0.0, 0)
    low, high = exact.get("low_ns"), exact.get("high_ns")
    if bins and low is not None and high is not None:
        bins[0] = replace(bins[0], low_ns=low)
        bins[-1] = replace(bins[-1], high_ns=high)
    return bins
