"""What to do, in a sentence, for each direction in which a dot can go."""

from __future__ import annotations

from longpole.analyse.walls import wall_of
from longpole.model.case import Case
from longpole.model.resources import Level
from longpole.model.roofline import Ceiling

_NODE_ADVICE = {
    "flops": "Make '{task}' compute less, or in lower precision, or have faster nodes",
    "bf16": "Make '{task}' compute less, or have faster nodes",
    "cpu": "Make '{task}' need less CPU time: better algorithms, compiled code, or more of its cores at once",
    "gpu": "Make '{task}' need less GPU time: larger batches, lower precision, fused kernels",
    "memory": "Make '{task}' move less through memory: smaller types, blocking, fused passes",
    "hbm": "Make '{task}' move less through GPU memory: lower precision, fused kernels, larger batches",
    "pcie": "Make '{task}' move less over PCIe: keep data on the GPU, decompress there",
    "disk-read": "Make '{task}' read less from the disk: smaller formats, a cache, or a faster disk",
    "disk-write": "Make '{task}' write less to the disk: smaller formats, fewer files, or a faster disk",
}
_OVERHEAD_ADVICE = {
    "interpreter": "Start fewer interpreters for '{task}': warm processes, one process for many tasks, or "
    "lazier imports",
    "dispatch": "Spend less between tasks: larger tasks, a dispatcher that does not poll, or more in flight",
}


def up_words(bound: Ceiling, task: str, efficiency: float) -> str:
    """Return how to come nearer to the bound."""
    if bound.kind is Level.NODE:
        return f"Use {bound.name} better in '{task}': the run reaches {_percent(efficiency)} of its ceiling"
    if bound.kind is Level.SYSTEM:
        return (
            f"Keep the {bound.name} busy all the time: the run reaches {_percent(efficiency)} of its ceiling"
        )
    if bound.kind is Level.STRUCTURE:
        slower = f"the run takes {1 / efficiency:.3g} times the least"
        return f"Bring tasks nearer to their own ceilings, '{task}' first: {slower}"
    return (
        f"Shorten what tasks do beside {bound.name}: the run reaches {_percent(efficiency)} of that ceiling"
    )


def raise_words(bound: Ceiling, task: str, then: str, room: float) -> str:
    """Return how to lift the bound itself, and which ceiling comes next, so many times higher."""
    if bound.kind is Level.OVERHEAD:
        general = f"Spend less on {bound.name} in '{task}': containers, warm processes, fewer starts"
        advice = _OVERHEAD_ADVICE.get(bound.resource, general)
    elif bound.kind is Level.SYSTEM:
        advice = f"Move half the bytes over the {bound.name}, or have one twice as fast"
    else:
        advice = _NODE_ADVICE.get(
            bound.resource, f"Make '{{task}}' need less of {bound.name}, or have faster nodes"
        )
    text = advice.replace("{task}", task)
    far = f"{room:.2g}" if room < 10 else f"{room:,.0f}"
    return f"{text}; {far} times higher, {then} would bound it" if then else text


def diagonal_words(parallel: int, wall: int, case: Case) -> str:
    """Return how many more could run at once within one workflow."""
    why = "as many as fit" if parallel == wall else "as many as can"
    return f"Run {parallel:,} tasks at once, {why}, instead of {case.parallel:,}"


def batch_words(wall: int, parallel: int, case: Case) -> str:
    """Return how many workflows could run beside each other."""
    several = wall // parallel
    what = (
        f"Run {several:,} such workflows at once" if several > 1 else f"Fill the machine with {wall:,} tasks"
    )
    return f"{what}: more {case.unit}s per second, the makespan of each as it is"


def wider_words(case: Case, wider: Case) -> str:
    """Return what twice the nodes for each task mean."""
    return (
        "Give each task twice the nodes, if it scales perfectly: "
        f"the wall falls from {wall_of(case).parallel:,} to {wall_of(wider).parallel:,}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
