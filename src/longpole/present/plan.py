"""A plan as text: its tasks by level, their order, what its data does, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from longpole.model.plan import RULES, Amount, Grouping, Plan, TaskType
from longpole.model.text import one_line
from longpole.present.blocks import draws_blocks
from longpole.present.order import chains
from longpole.present.remarks import sentence_list
from longpole.present.tables import cell, new_table, note, with_rest
from longpole.present.terminal import write_text
from longpole.present.words import counted, glued
from longpole.units import show_bytes

_MOST_TYPES = 20
_MOST_LINES = 12
# Columns that a terminal narrower than this has no room for.
_NEEDS = {"memory": 92, "cluster": 60}


def show_plan(plan: Plan, following: Sequence[str], console: Console, *, everything: bool = False) -> None:
    """Print a plan, and commands that could come next; long lists are cut unless everything is asked for."""
    with console.capture() as capture:
        for section in _sections(plan, following, console, everything=everything):
            console.print(section, crop=False)
            console.print()
    write_text(console, capture.get())


def _sections(
    plan: Plan, following: Sequence[str], console: Console, *, everything: bool
) -> Iterator[RenderableType]:
    yield _headline(plan)
    if plan.types:
        yield _table(plan, console, None if everything else _MOST_TYPES)
        yield _order(plan, console, None if everything else _MOST_LINES)
    yield sentence_list("Moves", tuple(_moves(plan)), None, "")
    remarks = tuple(_remarks(plan))
    if remarks:
        yield sentence_list("Remarks", remarks, None, "warning")
    yield _next(following)


def _headline(plan: Plan) -> Group:
    top = Table.grid(expand=True)
    top.add_column(justify="left", no_wrap=True, overflow="ellipsis", ratio=1)
    top.add_column(justify="right", no_wrap=True)
    top.add_row(
        Text(f" {one_line(plan.workflow)}", style="title"), Text(f"  {plan.placement} ", style="figure")
    )
    return Group(top, Padding(Text(glued(_facts(plan)), style="quiet"), (0, 0, 0, 1)))


def _facts(plan: Plan) -> str:
    jobs = f"{_amount(plan.tasks, 'task')} in {_amount(plan.jobs, 'job')}"
    on = f"on {counted(len(plan.levels), 'level')}" if plan.levels else "on no level"
    return f"{jobs} {on}, and {_amount(plan.auxiliary_jobs, 'auxiliary job')}; {_clustered(plan)}"


def _clustered(plan: Plan) -> str:
    clustering = plan.clustering
    if clustering.how is Grouping.HORIZONTAL:
        if clustering.size_bytes is not None:
            return f"tasks of a type together, up to {show_bytes(clustering.size_bytes)} a job"
        if clustering.jobs is not None:
            return f"tasks of a type in {counted(clustering.jobs, 'job')}"
        return f"{counted(clustering.tasks or 0, 'task')} of a type in a job"
    return {
        Grouping.NONE: "each task is a job",
        Grouping.LABEL: "tasks of a label are one job",
        Grouping.WHOLE: "all tasks are one job",
    }[clustering.how]


def _table(plan: Plan, console: Console, most: int | None) -> RenderableType:
    cells = [_cells(each) for each in plan.types]
    if plan.clustering.how is Grouping.LABEL:
        cells = [
            {**one, "cluster": one_line(each.cluster)} for each, one in zip(plan.types, cells, strict=True)
        ]
    fitting = [name for name in cells[0] if console.width >= _NEEDS.get(name, 0)]
    chosen = [name for name in fitting if any(one[name] for one in cells)]
    table = new_table("Tasks", *chosen)
    for each, one in list(zip(plan.types, cells, strict=True))[:most]:
        table.add_row(cell(each.name), *(one[name] for name in chosen))
    told = Group(table, note("inputs and outputs are those of each task"))
    return with_rest(told, len(plan.types[:most]), len(plan.types), "types of task")


def _cells(each: TaskType) -> dict[str, str]:
    needs, known = each.resources, each.tasks is not None
    return {
        "level": f"{each.level:,}",
        "count": "?" if each.tasks is None else f"{each.tasks:,}",
        "cores": f"{needs.cores:,}",
        "GPUs": f"{needs.gpus:,}" if needs.gpus else "",
        "memory": "" if needs.memory_bytes is None else show_bytes(needs.memory_bytes),
        "inputs": _range(each.inputs) if known else "?",
        "outputs": _range(each.outputs, more=each.makes_many) if known else "?",
    }


def _range(bounds: tuple[int, int], *, more: bool = False) -> str:
    low, high = bounds
    shown = f"{low:,}" if low == high else f"{low:,}-{high:,}"
    return shown if not more else f"{shown} or more" if high else "any number"


def _order(plan: Plan, console: Console, most: int | None) -> Table:
    arrow = "→" if draws_blocks(console.encoding) else "->"
    lines = chains(plan.types, arrow, console.width - 13)
    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(style="label", no_wrap=True, min_width=10)
    grid.add_column(no_wrap=True, overflow="ellipsis")
    for at, line in enumerate(lines[:most]):
        grid.add_row(Text(" Order" if at == 0 else ""), Text(line))
    if most is not None and len(lines) > most:
        grid.add_row("", note(f"{most:,} of {len(lines):,} lines shown; --all lists every one"))
    return grid


def _moves(plan: Plan) -> Iterator[str]:
    rules = RULES[plan.placement]
    yield f"{rules.about[0].upper()}{rules.about[1:]}."
    yield f"{_amount(plan.files_staged_in, 'file')} staged in, as the paper counts: for every job."
    if plan.files_moved.value == 0:
        yield "Nothing is copied."
        return
    yield f"{_moved(plan.brought.files, plan.brought.moved_bytes)} copied to jobs, {_connections(plan)}."
    yield f"{_moved(plan.sent.files, plan.sent.moved_bytes)} sent back."


def _next(following: Sequence[str]) -> Group:
    """Return commands as they are typed, however long: a broken line could not be copied."""
    lines = [f" {'Next' if at == 0 else '':<11}{one_line(line)}" for at, line in enumerate(following)]
    text = Text("\n".join(lines), no_wrap=True, overflow="ignore")
    text.stylize("label", 0, 12)
    return Group(text)  # alone, it would be broken all the same


def _moved(files: Amount, moved: Amount) -> str:
    if moved.exact:
        size = show_bytes(moved.at_least)
    else:
        size = f"at least {show_bytes(moved.at_least)}" if moved.at_least else "of unknown size"
    return f"{_amount(files, 'file')} ({size})"


def _connections(plan: Plan) -> str:
    return f"{counted(RULES[plan.placement].connections, 'transfer')} at a time"


def _remarks(plan: Plan) -> Iterator[str]:
    for each in plan.types:
        for name, makers in each.known_after.items():
            when = " and ".join(f"'{maker}'" for maker in makers)
            known = f"known when {when} has run" if makers else "not known"
            yield f"{each.name}: needs the members of '{name}', {known}."
    if plan.missing_files:
        files = counted(plan.outside_files, "file")
        yield f"{plan.missing_files:,} of {files} from outside are not there yet: they are planned by name."


def _amount(amount: Amount, one: str) -> str:
    return f"{'' if amount.exact else 'at least '}{counted(amount.at_least, one)}"
