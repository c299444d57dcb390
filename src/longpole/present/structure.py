"""The structure of a run in sentences: its tasks and what they depend on, its files, and what bounds it."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.model.explanation import Explanation
from longpole.present.words import counted
from longpole.units import show_bytes, show_seconds

# A replay that errs by no more than this is a good one.
GOOD_ERROR = 0.03


def unit_of(explanation: Explanation, number: int) -> str:
    """Return so many of what is counted as a task."""
    unit = explanation.unit or "task"
    return counted(number, unit, f"{unit}es" if unit.endswith("s") else f"{unit}s")


def structure(explanation: Explanation) -> tuple[str, ...]:
    """Return what the graph of tasks tells, a sentence each."""
    if not explanation.tasks:
        return ("No tasks are known.",)
    return (*_graph(explanation), *_bounds(explanation), *_files(explanation))


def replayed(explanation: Explanation) -> str:
    """Return how far predictions can be believed."""
    if explanation.self_replay_error is None:
        return "The run was not replayed, so how far savings can be believed is not known."
    error = abs(explanation.self_replay_error)
    said = f"A replay of the run as it was errs by {100 * error:.1f} %"
    if error <= GOOD_ERROR:
        return f"{said}; savings come from the same replay."
    return f"{said}, where a good one errs by {100 * GOOD_ERROR:.0f} % at most: take savings with care."


def _graph(explanation: Explanation) -> Iterator[str]:
    tasks = unit_of(explanation, explanation.tasks)
    if not explanation.edges:
        yield f"{tasks}; nothing is known of which depends on which."
        return
    exactly = "" if explanation.antichain_exact else "at least "
    yield (
        f"{tasks}, {counted(explanation.edges, 'edge')}, {counted(explanation.levels, 'level')}, "
        f"{explanation.width:,} wide; {exactly}{explanation.antichain:,} could run at once."
    )


def _bounds(explanation: Explanation) -> Iterator[str]:
    longest, total, makespan = (
        explanation.critical_path_s,
        explanation.total_task_s,
        explanation.makespan_s,
    )
    if longest <= 0:
        yield "How long they took is not known."
        return
    if not explanation.edges:
        yield f"They took {show_seconds(total)} in all, the longest of them {show_seconds(longest)}."
        return
    ideal = f"ideal speed-up {max(1.0, total / longest):.3g}"
    yield f"The longest chain takes {show_seconds(longest)} of {show_seconds(total)} of work: {ideal}."
    if explanation.asap_peak > 1 and makespan is not None and makespan > longest:
        room = f"With room for all ({explanation.asap_peak:,} at once) and no waits it could end after"
        yield f"{room} {show_seconds(longest)}, {100 * (1 - longest / makespan):.0f} % sooner."


def _files(explanation: Explanation) -> Iterator[str]:
    flow = explanation.flow
    if flow.files:
        yield (
            f"{counted(flow.files, 'file')}: {show_bytes(flow.external_input_bytes)} come in, "
            f"{show_bytes(flow.intermediate_bytes)} pass between tasks, "
            f"{show_bytes(flow.final_output_bytes)} come out."
        )
    if flow.unsized:
        yield f"How large {flow.unsized:,} of these are is not known; they count as nothing here."
