"""Cycles: one is found if there is one, and what is found is one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.exchange.cycles import find_cycle

Pairs = list[tuple[int, int]]


def cycle_of(nodes: int, edges: Pairs) -> list[int]:
    befores, afters = (np.array([pair[side] for pair in edges], np.int64) for side in (0, 1))
    return find_cycle(nodes, befores, afters)


@pytest.mark.parametrize(
    ("edges", "cycle"),
    [
        ([], set()),
        ([(0, 1), (1, 2), (0, 2)], set()),
        ([(0, 0)], {0}),
        ([(0, 1), (1, 0)], {0, 1}),
        ([(0, 1), (1, 2), (2, 3), (3, 1)], {1, 2, 3}),
        ([(3, 0), (0, 1), (1, 0), (1, 2)], {0, 1}),
    ],
)
def test_cases_worked_by_hand(edges: Pairs, cycle: set[int]) -> None:
    assert set(cycle_of(4, edges)) == cycle


def test_chain_of_many_nodes_has_none_and_its_ring_has_all() -> None:
    count = 20_000
    chain = [(node, node + 1) for node in range(count - 1)]

    assert cycle_of(count, chain) == []
    assert sorted(cycle_of(count, [*chain, (count - 1, 0)])) == list(range(count))


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_what_is_found_leads_round(edges: Pairs) -> None:
    cycle = cycle_of(8, edges)

    if cycle:
        assert set(zip(cycle, [*cycle[1:], cycle[0]], strict=True)) <= set(edges)
        assert len(set(cycle)) == len(cycle)
    else:
        assert _can_be_ordered(8, edges)


def _can_be_ordered(nodes: int, edges: Pairs) -> bool:
    left = set(range(nodes))
    while left:
        free = {node for node in left if not any(b in left and a == node for b, a in edges)}
        if not free:
            return False
        left -= free
    return True
