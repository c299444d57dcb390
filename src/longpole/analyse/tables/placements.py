"""The table like the paper's II: of each workflow and placement, its jobs and what was moved for them."""

from __future__ import annotations

from collections.abc import Sequence

from longpole.analyse.tables.measures import Measure
from longpole.analyse.tables.repeats import Repeats
from longpole.analyse.tables.sheet import Sheet
from longpole.model.result_table import Heading, Like, Quantity, ResultTable, Scale
from longpole.model.run_outline import RunOutline

_RULE = (
    "Files staged in are counted by the rule of the paper: inputs, programs and images for every job, also "
    "where they are linked or there already."
)
_TRUTH = "Brought and sent back is what was really copied to jobs and from them."
_UNITS = "1 MB is 1,000,000 bytes, 1 GB 1,000 MB."


def outline_measure(
    name: str, title: str, quantity: Quantity = Quantity.COUNT, scale: Scale = Scale.FREE
) -> Measure[RunOutline]:
    """Return a measure of a field of ``RunOutline``."""

    def value(outline: RunOutline) -> float | None:
        found = getattr(outline, name)
        return None if found is None else float(found)

    return Measure(Heading(name, title, quantity, scale), value, lambda one: one.reasons.get(name, ""))


MEASURES = (
    outline_measure("jobs", "jobs"),
    outline_measure("auxiliary_jobs", "aux. jobs"),
    outline_measure("connections", "transfers at once"),
    outline_measure("files_staged_in", "files staged in"),
    outline_measure("files_brought", "files brought"),
    outline_measure("bytes_brought", "brought", Quantity.BYTES, Scale.MEGABYTES),
    outline_measure("files_sent", "files sent back"),
    outline_measure("bytes_sent", "sent back", Quantity.BYTES, Scale.MEGABYTES),
)


def placements_table(groups: Sequence[Repeats]) -> ResultTable:
    """Return the table like II."""
    sheet = Sheet(MEASURES, groups)
    for group in groups:
        outlines = [result.outline for result in group.runs if result.outline is not None]
        sheet.add(group.workflow if group.placement else "", group.inner_label, outlines)
    return sheet.finished(Like.II, "Jobs and transfers by placement", "placement", [_RULE, _TRUTH, _UNITS])
