"""Rooflines of the paper's figures, built from a few numbers each."""

from __future__ import annotations

from dataclasses import replace

from longpole.model.resources import Level
from longpole.model.roofline import (
    Breakdown,
    Ceiling,
    Direction,
    Part,
    Placed,
    Roofline,
    TargetLine,
    TaskView,
    Wall,
    Way,
    Zone,
)

_ZONES = {
    Level.NODE: Zone.NODE_BOUND,
    Level.SYSTEM: Zone.SYSTEM_BOUND,
    Level.STRUCTURE: Zone.STRUCTURE_BOUND,
    Level.OVERHEAD: Zone.OVERHEAD_BOUND,
}


def node(name, per_task, *, least=0.0, level=Level.NODE, spread=0.0, source="nominal"):
    """A ceiling that rises: seconds of one task of each kind, as ``{kind: (count, seconds)}``."""
    serial = sum(count * seconds for count, seconds in per_task.values())
    return Ceiling(
        name=name,
        kind=level,
        resource=name.lower(),
        workflow_seconds=0.0,
        per_task_seconds={kind: seconds for kind, (_, seconds) in per_task.items()},
        tasks_per_second_at_dot=0.0,
        source=source,
        serial_seconds=serial,
        least_seconds=least,
        spread=spread,
    )


def shared(name, seconds, *, contended=None, level=Level.SYSTEM, spread=0.0, source="nominal"):
    """A flat ceiling: seconds of the whole workflow."""
    return Ceiling(
        name=name,
        kind=level,
        resource=name,
        workflow_seconds=0.0,
        per_task_seconds={},
        tasks_per_second_at_dot=0.0,
        source=source,
        serial_seconds=0.0,
        least_seconds=seconds,
        spread=spread,
        contended_seconds=contended,
    )


def least_time(ceiling, x, *, contended=False):
    flat = ceiling.contended_seconds if contended and ceiling.contended_seconds else ceiling.least_seconds
    return max(ceiling.serial_seconds / x, flat)


def at_dot(ceiling, tasks, x):
    seconds = least_time(ceiling, x)
    rate = None if ceiling.contended_seconds is None else tasks / ceiling.contended_seconds
    return replace(
        ceiling,
        workflow_seconds=seconds,
        tasks_per_second_at_dot=tasks / seconds,
        contended_tasks_per_second=rate,
    )


def dot(name, makespan_s, x, tasks, ceilings, share, **more):
    contended = more.get("contended", False)
    times = [(least_time(one, x, contended=contended) * share, one) for one in ceilings]
    seconds, bound = max(times, key=lambda pair: pair[0])
    y, bound_y = tasks / makespan_s, tasks / seconds
    return Placed(
        name,
        x,
        y,
        makespan_s,
        tasks,
        y / bound_y,
        bound.name,
        bound.kind,
        bound_y,
        more.pop("zone", _ZONES[bound.kind]),
        **more,
    )


def roofline(name, machine, ceilings, *, tasks, parallel, wall, dots=(), **more):
    """A roofline of ceilings that know no tasks yet; dots are ``(name, makespan_s, {more})``."""
    ceilings = sorted(
        (at_dot(one, tasks, parallel) for one in ceilings), key=lambda one: one.tasks_per_second_at_dot
    )
    placed = tuple(
        dot(
            called,
            took,
            given.pop("x", parallel),
            given.get("tasks", tasks),
            ceilings,
            given.pop("tasks", tasks) / tasks,
            **given,
        )
        for called, took, given in ((called, took, dict(given)) for called, took, given in dots)
    )
    bound = ceilings[0]
    return Roofline(
        name=name,
        machine=machine,
        machine_origin=f"machines/{machine}.toml",
        projected=more.pop("projected", False),
        unit=more.pop("unit", "task"),
        task=more.pop("task", "a job as the workflow's author cut it"),
        tasks=tasks,
        parallel=parallel,
        could=more.pop("could", parallel),
        levels=more.pop("levels", 1),
        ceilings=tuple(ceilings),
        bound=bound.name,
        throughput=bound.tasks_per_second_at_dot,
        least_makespan_s=bound.workflow_seconds,
        wall=wall,
        dots=placed,
        zone=more.pop("zone", placed[0].zone if placed else _ZONES[bound.kind]),
        targets=more.pop("targets", ()),
        directions=more.pop("directions", ()),
        task_view=more.pop("task_view", ()),
        **more,
    )


def breakdown(name, **parts):
    total = sum(parts.values())
    return Breakdown(name, tuple(Part(part.replace("_", " "), s, s / total) for part, s in parts.items()))


FIGURE_1 = roofline(
    "Figure 1",
    "Perlmutter GPU",
    [
        node("PCIe", {"job": (1, 0.04)}),
        node("FLOPs", {"job": (1, 100 / 38800)}),
        shared("network", 10.0),
        shared("file system", 1 / 5.6),
    ],
    tasks=1,
    parallel=1,
    wall=Wall(28, 1792, 64, "job"),
)
LCLS = roofline(
    "LCLS",
    "Cori Haswell",
    [
        node("memory bandwidth", {"analyse": (5, 0.248), "merge": (1, 0.0388)}, least=0.248),
        shared("external link", 1000.0, contended=5000.0),
        shared("burst buffer", 5000 / 910),
        shared("critical path", 34.0, level=Level.STRUCTURE),
    ],
    tasks=6,
    parallel=5,
    wall=Wall(74, 2388, 32, "analyse"),
    levels=2,
    dots=[
        ("good day", 1024.0, {"zone": Zone.POOR_POOR}),
        ("bad day", 5120.0, {"zone": Zone.POOR_POOR, "contended": True, "speedup": 0.2}),
    ],
    targets=(
        TargetLine("makespan", 600.0, 0.01, 0.002, False, False),
        TargetLine("throughput", None, 0.01, 0.0, False, False, derived=True),
    ),
    directions=(
        Direction(
            Way.RAISE,
            31.7,
            5,
            0.19,
            "external link",
            "analyse",
            "critical path",
            "Get a faster external link.",
        ),
        Direction(
            Way.UP,
            1.024,
            5,
            0.006,
            "external link",
            "analyse",
            "external link",
            "Move each task up to the link.",
        ),
        Direction(
            Way.DIAGONAL, 1.0, 6, 0.006, "external link", "", "external link", "Run more tasks at once."
        ),
    ),
    task_view=(
        TaskView("analyse", "good day", 5, 32, 1000.0, 1000.0, "external link", 1.0, 0.995),
        TaskView("merge", "good day", 1, 32, 24.0, 0.0388, "memory bandwidth", 0.0016, 0.005),
        TaskView("analyse", "bad day", 5, 32, 5000.0, 5000.0, "external link", 1.0, 0.996),
        TaskView("merge", "bad day", 1, 32, 120.0, 0.0388, "memory bandwidth", 0.0003, 0.004),
    ),
    breakdowns=(
        breakdown("good day", loading=1000.0, analysis=20.0, merging=4.0),
        breakdown("bad day", loading=5000.0, analysis=110.0, merging=10.0),
    ),
    task="a parallel application with thousands of ranks, on 32 nodes",
    limits=("The volumes of memory are those of the paper's figure.",),
)


def bgw(nodes, e_s, s_s, wall):
    e, s = 1164e3 / nodes / 38.8, 3226e3 / nodes / 38.8
    return roofline(
        f"BerkeleyGW, {nodes} nodes",
        "Perlmutter GPU",
        [
            node("FLOPs", {"Epsilon": (1, e), "Sigma": (1, s)}),
            shared("network", 133.8 * 256 / (nodes * 100)),
            shared("file system", 70 / 5600),
        ],
        tasks=2,
        parallel=1,
        wall=Wall(wall, 1792, nodes, "Epsilon"),
        levels=2,
        dots=[(f"{nodes} nodes", e_s + s_s, {})],
        directions=(
            Direction(
                Way.UP,
                (e_s + s_s) / (e + s),
                1,
                2 / (e + s),
                "FLOPs",
                "Sigma",
                "FLOPs",
                "Make Sigma faster on its nodes.",
            ),
            Direction(
                Way.DIAGONAL,
                float(wall),
                wall,
                2 * wall / (e_s + s_s),
                "FLOPs",
                "",
                "FLOPs",
                "Run several calculations at once.",
            ),
        ),
        task_view=(
            TaskView("Epsilon", f"{nodes} nodes", 1, nodes, e_s, e, "FLOPs", e / e_s, e_s / (e_s + s_s)),
            TaskView("Sigma", f"{nodes} nodes", 1, nodes, s_s, s, "FLOPs", s / s_s, s_s / (e_s + s_s)),
        ),
        breakdowns=(breakdown(f"{nodes} nodes", Epsilon=e_s, Sigma=s_s),),
        task=f"a parallel application on {nodes} nodes",
    )


BGW_64 = bgw(64, 1096.5, 3088.36, 28)
BGW_1024 = bgw(1024, 179.56, 225.18, 1)
COSMOFLOW = roofline(
    "CosmoFlow",
    "Perlmutter GPU",
    [
        node("GPU memory bandwidth", {"training": (300, 4.2145)}),
        node("PCIe", {"training": (300, 0.8)}),
        shared("file system", 12 * 0.357),
    ],
    tasks=300,
    parallel=12,
    wall=Wall(12, 1536, 128, "training"),
    unit="epoch",
    task="one epoch of training, on 128 nodes",
    dots=[("12 instances", 305.872, {})]
    + [
        (f"{n} instance" + "s" * (n > 1), 300.0 + n / 2, {"x": n, "tasks": 25 * n, "source": "subset"})
        for n in range(1, 12)
    ],
    directions=(
        Direction(
            Way.UP,
            2.9,
            12,
            2.847,
            "GPU memory bandwidth",
            "training",
            "GPU memory bandwidth",
            "Use the memory of the GPUs better.",
        ),
    ),
    task_view=(
        TaskView("training", "12 instances", 300, 128, 12.235, 4.2145, "GPU memory bandwidth", 0.344, 1.0),
    ),
)
GPTUNE = roofline(
    "GPTune",
    "Perlmutter CPU",
    [
        node("srun and Python", {"sample": (40, 0.4)}, level=Level.OVERHEAD),
        node("memory bandwidth", {"sample": (40, 3.5e-4)}),
        shared("file system", 4.5e-4),
        shared("critical path", 19.0, level=Level.STRUCTURE),
    ],
    tasks=40,
    parallel=1,
    wall=Wall(3072, 3072, 1, "sample"),
    unit="sample",
    task="one run of SuperLU_DIST",
    levels=40,
    dots=[
        ("RCI", 553.0, {}),
        ("Spawn", 227.9, {"speedup": 2.43}),
        ("without Python", 19.08, {"speedup": 11.94, "projected": True}),
    ],
    directions=(
        Direction(
            Way.UP,
            29.1,
            1,
            2.1,
            "critical path",
            "sample",
            "critical path",
            "Keep one process for all samples instead of starting one each.",
        ),
    ),
    breakdowns=(
        breakdown("RCI", bash=230.0, Python=270.0, application=23.0, input_and_output=30.0),
        breakdown("Spawn", Python=208.0, application=19.08, input_and_output=0.02),
    ),
)
ALL = {
    "figure 1": FIGURE_1,
    "LCLS": LCLS,
    "BGW 64": BGW_64,
    "BGW 1024": BGW_1024,
    "CosmoFlow": COSMOFLOW,
    "GPTune": GPTUNE,
}
