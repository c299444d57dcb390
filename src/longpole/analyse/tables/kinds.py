"""Tables with a row for each kind of job: the plain one of one setting, and the one like the paper's III."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longpole.analyse.sentences import count_of
from longpole.analyse.tables.measures import Measure
from longpole.analyse.tables.repeats import Repeats
from longpole.analyse.tables.sheet import Sheet
from longpole.analyse.tables.use_measures import LIKE_PAPER, USE, use_measure
from longpole.model.kind_use import KindUse, RunUse
from longpole.model.result_table import Like, Quantity, ResultTable

_COUNT = use_measure("jobs", "count", Quantity.COUNT)
_SUMS = "Times and bytes are sums over all of a kind; CPU % and GPU % are means over their time."
_UNITS = "1 MB is 1,000,000 bytes, 1 GB 1,000 MB."
_MOST = "GPU memory is the most of all runs."


def kinds_table(group: Repeats) -> ResultTable:
    """Return the plain table of one setting: a row for each kind, and one for the whole run."""
    sheet = Sheet((_COUNT, *USE), (group,))
    uses = _uses(group)
    for name, some in _by_name(uses):
        sheet.add("", name, some)
    wholes = [use.whole for use in uses]
    alone = len({kind.name for use in uses for kind in use.kinds}) == 1 and uses[0].unit == "command"
    if not alone:
        sheet.add("", wholes[0].name, wholes)
    unit = uses[0].unit
    notes = [*([] if alone else _memory(uses)), *_remarks(uses), *_auxiliary(uses)]
    return sheet.finished(Like.PLAIN, group.label, unit, notes)


def jobs_table(groups: Sequence[Repeats]) -> ResultTable:
    """Return the table like III: of each setting, what each kind of job used."""
    measures: tuple[Measure[KindUse], ...] = (_COUNT, *LIKE_PAPER)
    sheet = Sheet(measures, groups)
    for group in groups:
        for name, some in _by_name(_uses(group)):
            sheet.add(group.label, name, some)
    uses = [use for group in groups for use in _uses(group)]
    units = list(dict.fromkeys(use.unit for use in uses))
    repeated = [_MOST] if any(group.n > 1 for group in groups) else []
    notes = [_SUMS, *_memory(uses), *repeated, _UNITS, *_remarks(uses)]
    return sheet.finished(Like.III, "What jobs used", units[0] if len(units) == 1 else "job", notes)


def _uses(group: Repeats) -> list[RunUse]:
    return [result.use for result in group.runs if result.use is not None]


def _by_name(uses: Sequence[RunUse]) -> Iterator[tuple[str, list[KindUse]]]:
    """Yield each kind with what it is in each repeat, in the order of the first."""
    for name in dict.fromkeys(kind.name for use in uses for kind in use.kinds):
        yield name, [kind for use in uses for kind in use.kinds if kind.name == name]


def _memory(uses: Sequence[RunUse]) -> Iterator[str]:
    """Yield whose memory is meant."""
    for use in uses:
        if use.told_by:
            yield f"Memory is that of the largest {use.unit}, as {use.told_by} told it."
        else:
            yield f"Memory is that of the largest {use.unit} at its peak, all its processes together."


def _remarks(uses: Sequence[RunUse]) -> Iterator[str]:
    return (remark for use in uses for remark in use.remarks)


def _auxiliary(uses: Sequence[RunUse]) -> Iterator[str]:
    """Yield how much the runner itself did."""
    jobs = max(use.auxiliary for use in uses)
    if jobs:
        yield f"Besides, there were {count_of(jobs, 'auxiliary job')} of the runner itself."
