"""The order of types: every arrow that is not implied, once."""

from __future__ import annotations

import subprocess
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from longpole.model.plan import Clustering, Grouping
from longpole.present.order import chains, graphviz
from tests.parts import need
from tests.present.plans import kind, plan


def lines(*types, width=200):
    return chains(types, "->", width)


def test_a_chain_is_one_line():
    assert lines(kind("a", tasks=6), kind("b", "a"), kind("c", "a", "b", tasks=0)) == ["a ×6 -> b -> c ×0"]


def test_chains_that_meet_end_at_the_same_name():
    found = lines(kind("a"), kind("b", tasks=2), kind("c", "a", "b", tasks=3))

    assert found == ["a -> c ×3", "b ×2 -> c"]


def test_a_branch_begins_with_the_name_it_leaves():
    found = lines(kind("a", tasks=2), kind("b", "a"), kind("c", "a"), kind("d", "b", "c"))

    assert found == ["a ×2 -> b -> d", "a -> c -> d"]


def test_a_type_that_nothing_waits_for_is_there():
    assert lines(kind("a"), kind("b")) == ["a", "b"]


def test_long_chains_are_broken_at_arrows():
    found = lines(*(kind(f"t{n}", *([f"t{n - 1}"] if n else [])) for n in range(6)), width=16)

    assert found == ["t0 -> t1 -> t2", "   -> t3 -> t4", "   -> t5"]


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 10))
    return [kind(f"t{n}", *(f"t{m}" for m in range(n) if draw(st.booleans()))) for n in range(size)]


def reached(edges, begin):
    found, left = set(), [begin]
    while left:
        for after in (b for a, b in edges if a == left[-1] and b not in found):
            found.add(after)
            left.insert(0, after)
        left.pop()
    return found


@given(graphs())
def test_the_lines_tell_all_that_waits_for_what(types):
    chained = [line.split(" -> ") for line in lines(*types, width=1000)]
    edges = [(a, b) for line in chained for a, b in pairwise(line)]

    assert {name for line in chained for name in line} == {each.name for each in types}
    assert len(set(edges)) == len(edges), "each arrow once"
    told = {each.name: reached(edges, each.name) for each in types}
    meant = [(before, each.name) for each in types for before in each.before]
    assert told == {each.name: reached(meant, each.name) for each in types}
    assert set(edges) <= set(meant)


def test_graphviz_puts_clusters_into_boxes():
    types = (kind("a", cluster="x"), kind("b", "a", cluster="x"), kind('say "c"', "b"))

    text = graphviz(plan(types=types, clustering=Clustering(Grouping.LABEL)))

    assert 'label="x";' in text
    assert '"a" -> "b";' in text
    assert '"b" -> "say \\"c\\"";' in text
    assert "subgraph" not in graphviz(plan(types=types))


def test_graphviz_reads_it():
    need("graphviz")
    text = graphviz(plan(types=(kind("a", tasks=3), kind('b\\ "', "a"))))

    done = subprocess.run(["dot", "-Tplain"], input=text, capture_output=True, text=True, check=True)

    assert done.stdout.count("\nnode ") == 2
