"""The table like the paper's IV: of each workflow as a whole, its inputs, use and hours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from longpole.analyse.tables.measures import Measure, Over
from longpole.analyse.tables.placements import outline_measure
from longpole.analyse.tables.repeats import Repeats
from longpole.analyse.tables.sheet import Sheet
from longpole.model.kind_use import KindUse
from longpole.model.result_table import Heading, Like, Quantity, ResultTable, Scale
from longpole.model.run_outline import RunOutline
from longpole.model.run_result import RunResult

_FEW = 3
_HOURS = (
    "Hours are cores and GPUs that jobs were given, times how long they had them, auxiliary jobs included; "
    "a plain command has all of its machine."
)
_SUMS = "Read and written are sums over jobs; memory is that of the largest job, GPU memory the most."
_UNITS = "1 GB is 1,000 MB of 1,000,000 bytes; in the paper's Table IV it is 1,024 MB."


def profiles_table(groups: Sequence[Repeats]) -> ResultTable:
    """Return the table like IV."""
    sheet = Sheet(_MEASURES, groups)
    for group in groups:
        sheet.add("", group.label, group.runs)
    notes = [_SUMS, _HOURS, _UNITS, *(said for group in groups for said in _not_in_sums(group))]
    return sheet.finished(Like.IV, "Workflows as a whole", "workflow", notes)


def _not_in_sums(group: Repeats) -> Iterator[str]:
    """Yield which kinds of job are not in a sum, of some run at least, or not as a whole."""
    kinds = [kind for run in group.runs if run.use is not None for kind in run.use.kinds]
    names = dict.fromkeys(kind.name for kind in kinds)
    for name, title in (("read_bytes", "read"), ("written_bytes", "written")):
        without = list(dict.fromkeys(kind.name for kind in kinds if getattr(kind, name) is None))
        if without and any(getattr(kind, name) is not None for kind in kinds):
            kind_of = f"{len(without):,} of {len(names):,} kinds of job ({_few(without)})"
            yield f"{group.label}: {title} has nothing of {kind_of}: that is not known."
        in_part = list(dict.fromkeys(kind.name for kind in kinds if kind.partial.get(name)))
        if in_part:
            kind_of = f"{len(in_part):,} of {len(names):,} kinds of job ({_few(in_part)})"
            yield f"{group.label}: {title} has some jobs only of {kind_of}: it is more than is said."


def _few(names: Sequence[str]) -> str:
    return ", ".join([*names[:_FEW], *(["..."] if len(names) > _FEW else [])])


def _of_outline(measure: Measure[RunOutline]) -> Measure[RunResult]:
    def value(result: RunResult) -> float | str | None:
        return measure.value(result.outline or RunOutline())

    def why(result: RunResult) -> str:
        return measure.why(result.outline or RunOutline())

    return Measure(measure.heading, value, why)


def _of_jobs(name: str, title: str, joined: Callable[[Sequence[float]], float]) -> Measure[RunResult]:
    """Return a measure over all jobs of a run; it is known if it is of one kind at least."""

    def kinds(result: RunResult) -> tuple[KindUse, ...]:
        return result.use.kinds if result.use is not None else ()

    def value(result: RunResult) -> float | None:
        known = [float(found) for kind in kinds(result) if (found := getattr(kind, name)) is not None]
        return joined(known) if known else None

    def why(result: RunResult) -> str:
        return next((kind.reasons[name] for kind in kinds(result) if name in kind.reasons), "no job ran")

    over = Over.MOST if name == "peak_gpu_memory_bytes" else Over.MEAN
    return Measure(Heading(name, title, Quantity.BYTES, Scale.GIGABYTES), value, why, over)


_MEASURES: tuple[Measure[RunResult], ...] = (
    _of_outline(outline_measure("jobs", "jobs")),
    _of_outline(outline_measure("auxiliary_jobs", "aux. jobs")),
    _of_outline(outline_measure("input_files", "input files")),
    _of_outline(outline_measure("input_bytes", "input", Quantity.BYTES, Scale.GIGABYTES)),
    _of_outline(outline_measure("image_bytes", "image", Quantity.BYTES, Scale.GIGABYTES)),
    _of_jobs("read_bytes", "read", sum),
    _of_jobs("written_bytes", "written", sum),
    _of_jobs("peak_memory_bytes", "memory", max),
    _of_jobs("peak_gpu_memory_bytes", "GPU mem", max),
    _of_outline(outline_measure("cpu_h", "CPU h", Quantity.HOURS)),
    _of_outline(outline_measure("gpu_h", "GPU h", Quantity.HOURS)),
)
