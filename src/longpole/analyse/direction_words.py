"""What to do, in a sentence, for each direction in which a dot can go; gains are of all tasks together."""

from __future__ import annotations

from longpole.analyse.walls import wall_of
from longpole.model.case import Case
from longpole.model.resources import Level
from longpole.model.roofline import Ceiling

# What one task of a node does less of, to lift a ceiling.
_LESS = {
    "flops": "Compute less, or in lower precision, or have faster nodes",
    "bf16": "Compute less, or have faster GPUs",
    "cpu": "Need less CPU time, by better algorithms or compiled code, or have faster cores",
    "gpu": "Need less GPU time, by larger batches, lower precision or fused kernels",
    "memory": "Move less through memory, by smaller types, blocking or fused passes",
    "hbm": "Move less through GPU memory, by lower precision, fused kernels or larger batches",
    "pcie": "Move less over PCIe: keep data on the GPU, or decompress there",
    "disk-read": "Read less from the disk, by smaller formats or a cache, or have a faster one",
    "disk-write": "Write less to the disk, by smaller formats or fewer files, or have a faster one",
    "interpreter": "Start fewer interpreters: warm processes, many tasks in one process, or lazier imports",
    "dispatch": "Spend less between tasks: larger tasks, a dispatcher that does not poll, or more in flight",
}
# Below this, the bound says little of where the time went.
_LITTLE = 0.25


def up_words(bound: Ceiling, task: str, efficiency: float) -> str:
    """Return how to come nearer to the bound."""
    reaches = f"the run reaches {_percent(efficiency)} of that ceiling"
    if efficiency < _LITTLE:
        return f"Find out what else takes the time: {bound.name} explains {_percent(efficiency)} of it"
    if bound.kind is Level.NODE:
        return f"Use {bound.name} better, in '{task}' above all: {reaches}"
    if bound.kind is Level.SYSTEM:
        return f"Keep the {bound.name} busy all the time: {reaches}"
    if bound.kind is Level.STRUCTURE:
        return f"Bring tasks nearer to their own ceilings, '{task}' above all: {reaches}"
    return f"Shorten what tasks do beside {bound.name}: {reaches}"


def raise_words(bound: Ceiling, task: str, then: str, room: float) -> str:
    """Return how to lift the bound itself, and which ceiling comes next, so many times higher."""
    if bound.kind is Level.SYSTEM:
        text = f"Move half the bytes over the {bound.name}, or have one twice as fast"
    else:
        otherwise = f"Spend less on {bound.name}: containers, warm processes, fewer starts"
        text = f"{_LESS.get(bound.resource, otherwise)}; '{task}' has most of it"
    far = f"{room:.2g}" if room < 10 else f"{room:,.0f}"
    return f"{text}; {far} times higher, {then} would bound" if then else text


def diagonal_words(parallel: int, wall: int, case: Case) -> str:
    """Return how many more could run at once within one workflow."""
    why = "as many as fit" if parallel == wall else "as many as can"
    known = case.could is not None or any(kind.after for kind in case.kinds)
    condition = "" if known else ", if they do not wait for each other"
    return f"Run {parallel:,} tasks at once, {why}, instead of {case.parallel:,}{condition}"


def batch_words(wall: int, parallel: int, case: Case) -> str:
    """Return how many workflows could run beside each other."""
    several = wall // parallel
    fill = f"Fill the machine with {wall:,} tasks"
    what = f"Run {several:,} such workflows at once" if several > 1 else fill
    return f"{what}: more {case.unit}s per second, the makespan of each as it is"


def wider_words(case: Case, wider: Case) -> str:
    """Return what twice the nodes, or cores, for each task mean."""
    what = "nodes" if case.main_kind.nodes >= 1 else "cores"
    return (
        f"Give each task twice the {what}, if it scales perfectly: "
        f"the wall falls from {wall_of(case).parallel:,} to {wall_of(wider).parallel:,}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.0995 else f"{100 * share:.0f} %"
