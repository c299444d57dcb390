"""Graphs for tests: by hand, and at random."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from longpole.analyse.graph import Graph, graph_of


def graph(nodes: int, *edges: tuple[int, int]) -> Graph:
    """Return a graph with these edges."""
    before, after = [edge[0] for edge in edges], [edge[1] for edge in edges]
    return graph_of(nodes, np.array(before, np.int64), np.array(after, np.int64))


@st.composite
def dags(draw: st.DrawFn, most: int = 12) -> tuple[Graph, np.ndarray]:
    """Return a graph without cycles, and how long its nodes take; their numbers are in no order."""
    nodes = draw(st.integers(1, most))
    pairs = [(low, high) for high in range(nodes) for low in range(high)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    names = draw(st.permutations(range(nodes)))
    took = draw(st.lists(st.integers(0, 50), min_size=nodes, max_size=nodes))
    return graph(nodes, *((names[low], names[high]) for low, high in chosen)), np.array(took, np.int64)
