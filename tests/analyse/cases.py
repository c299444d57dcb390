"""Cases for tests of rooflines: a few lines make a workflow on a machine."""

from __future__ import annotations

from hypothesis import strategies as st

from longpole.model.case import Case, Dot, TaskKind, Volume
from longpole.model.machine import Machine, Peak

GB, TB, GFLOP, TFLOP = 1e9, 1e12, 1e9, 1e12


def machine(nodes=1792, node=None, system=None):
    """Return a machine with these peaks, Perlmutter's GPU nodes unless told otherwise."""
    node = {"flops": 38.8 * TFLOP, "hbm": 6220 * GB, "pcie": 100 * GB} if node is None else node
    system = {"file-system": 5600 * GB} if system is None else system
    return Machine("test machine", nodes, _peaks(node), _peaks(system))


def kind(name="task", count=1, nodes=1, *, node=None, system=None, overhead=None, **more):
    """Return a kind of task with these amounts of work."""
    return TaskKind(
        name, count, nodes, node=_volumes(node), system=_volumes(system), overhead=_volumes(overhead), **more
    )


def case(*kinds, on=None, parallel=1, makespan=None, **more):
    """Return a case of kinds, with one dot if a makespan is given."""
    dots = (Dot("run", makespan),) if makespan is not None else ()
    return Case("test", on or machine(), kinds, parallel, **{"dots": dots, **more})


def lcls(on=None, **more):
    """Return LCLS on Cori, as the paper has it."""
    cori = machine(
        2388,
        {"memory": 129 * GB},
        {"external": Peak(5 * GB, contended=1 * GB), "burst-buffer": 910 * GB},
    )
    work = {"external": 1 * TB, "burst-buffer": 1 * TB}
    return case(
        kind("analyse", 5, 32, node={"memory": 32 * GB}, system=work),
        kind("merge", after=("analyse",)),
        on=on or cori,
        parallel=5,
        **more,
    )


def bgw(nodes=64, epsilon_s=1096.5, sigma_s=3088.36):
    """Return BerkeleyGW, as the paper has it."""
    return case(
        kind("E", 1, nodes, node={"flops": 1164e15 / nodes}, system={"file-system": 70 * GB}),
        kind("S", 1, nodes, node={"flops": 3226e15 / nodes}, after=("E",)),
        dots=(Dot("run", epsilon_s + sigma_s, kinds={"E": epsilon_s, "S": sigma_s}),),
    )


def _peaks(given):
    return {name: peak if isinstance(peak, Peak) else Peak(peak) for name, peak in given.items()}


def _volumes(given):
    return {
        name: amount if isinstance(amount, Volume) else Volume(amount)
        for name, amount in (given or {}).items()
    }


_amounts = st.floats(1e-3, 1e6)
_works = dict.fromkeys(("flops", "memory", "pcie"), _amounts)


@st.composite
def cases(draw):
    """Draw a case whose tasks may share nodes, wait for each other and cost a start."""
    nodes = draw(st.integers(1, 64))
    on = machine(
        nodes,
        draw(st.fixed_dictionaries({}, optional=_works).filter(bool)),
        {"external": draw(_amounts)},
    )
    kinds: list[TaskKind] = []
    for at in range(draw(st.integers(1, 4))):
        kinds.append(
            kind(
                f"kind {at}",
                draw(st.integers(1, 20)),
                draw(st.one_of(st.integers(1, nodes), st.sampled_from([1 / 2, 1 / 4]))),
                node={name: draw(_amounts) for name in on.node},
                system=draw(st.fixed_dictionaries({}, optional={"external": _amounts})),
                overhead=draw(st.fixed_dictionaries({}, optional={"dispatch": _amounts})),
                after=tuple(one.name for one in kinds if draw(st.booleans())),
            )
        )
    return case(*kinds, on=on, parallel=draw(st.integers(1, 8)))
