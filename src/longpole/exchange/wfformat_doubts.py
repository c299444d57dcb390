"""What an instance does not tell, and what in it can hardly be true: a sentence for each.

Start times are not believed where more than half of the dependencies contradict them: some writers of
WfFormat put the moment at which they made the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from longpole.exchange.wfformat_instance import NS, UNKNOWN, Instance
from longpole.units import show_bytes

NO_STARTS = "No task start times: only DAG bounds can be given."
NO_EXECUTION = "Nothing is told of an execution: there are tasks, and no times."
# Sizes and counters of one file are never quite the same; beyond this they tell of different things.
_FAR_APART = 10


def without_wrong_starts(instance: Instance) -> Instance:
    """Return the instance without starts that its dependencies contradict, and with a sentence about it."""
    starts_ns, before, after = instance.tasks.start_ns, instance.befores, instance.afters
    known = (starts_ns[before] != UNKNOWN) & (starts_ns[after] != UNKNOWN)
    # Starts are rounded to seconds here and there.
    ends_ns = starts_ns[before] + instance.tasks.runtime_ns[before] - NS
    wrong = int((known & (starts_ns[after] < ends_ns)).sum())
    if wrong * 2 <= known.sum():
        return instance
    said = (
        f"Of {int(known.sum()):,} dependencies {wrong:,} begin before what they need has ended: "
        "start times of tasks were left out."
    )
    tasks = replace(instance.tasks, start_ns=np.full_like(starts_ns, UNKNOWN))
    return replace(instance, tasks=tasks, gaps=(*instance.gaps, said))


def gaps_of(instance: Instance) -> tuple[str, ...]:
    """Return all that is missing or odd, what was found while reading first."""
    return (*instance.gaps, *_of_times(instance), *_of_bytes(instance))


def _of_times(instance: Instance) -> Iterator[str]:
    tasks = instance.tasks
    ran = int(tasks.executed.sum())
    if not ran:
        yield NO_EXECUTION
        return
    if ran < len(tasks):
        yield f"{len(tasks) - ran:,} of {len(tasks):,} tasks have no runtime: they did not run, or untold."
    unknown = int((tasks.start_ns[tasks.executed] == UNKNOWN).sum())
    if unknown == ran:
        yield NO_STARTS
    elif unknown:
        yield f"When {unknown:,} of {ran:,} tasks began is not known."
    zeros = int((tasks.runtime_ns[tasks.executed] == 0).sum())
    if zeros:
        yield f"{zeros:,} of {ran:,} tasks have a runtime of 0: too short to be measured, or not measured."


def _of_bytes(instance: Instance) -> Iterator[str]:
    """Yield where sizes of files and counters of tasks are far apart: both are only declared."""
    files = instance.files
    sizes = np.maximum(files.sizes, 0)[files.used]
    counters = {"read": instance.tasks.read_bytes, "written": instance.tasks.written_bytes}
    for what, counted in counters.items():
        chosen = files.written == (what == "written")
        chosen &= ~np.isnan(counted)[files.used_by]
        by_files, by_counters = float(sizes[chosen].sum()), float(np.nansum(counted))
        least, most = sorted((by_files, by_counters))
        if least > 0 and most > _FAR_APART * least:
            yield (
                f"Files {what} by tasks have {show_bytes(by_files)}, counters of tasks say "
                f"{show_bytes(by_counters)}: both are as declared."
            )
