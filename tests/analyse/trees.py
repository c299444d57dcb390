"""Trees at random, as property tests take them."""

from __future__ import annotations

from hypothesis import strategies as st

from longpole.analyse.tree import Tree
from tests.analyse.planted import Planted

KINDS = ("process", "phase", "step", "data", "job", "queue", "hold", "exec")


@st.composite
def trees(draw: st.DrawFn, most: int = 14, *, nested: bool = False) -> Tree:
    """Return a tree of phases; ``nested`` ones never reach beyond the phase they are part of."""
    run = Planted(100.0)
    times = {1: (0, 100)}
    for _ in range(draw(st.integers(0, most))):
        parent = draw(st.sampled_from(sorted(times)))
        low, high = times[parent] if nested else (0, 100)
        start = draw(st.integers(low, high))
        end = draw(st.integers(start, high))
        kind = draw(st.sampled_from(KINDS))
        times[run.phase(kind, kind, start, end, parent=parent)] = (start, end)
    return run.tree()
