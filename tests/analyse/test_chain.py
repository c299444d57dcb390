"""The longest chain, where nothing else is known."""

from __future__ import annotations

from longpole.analyse.chain import chain_answers
from longpole.analyse.structure import structure
from longpole.model.columns import Columns, integers, texts

S = 1_000_000_000


def answers(*took_s: int) -> tuple[str, str] | None:
    """``load`` then ``fit`` beside ``check``, then ``report``."""
    ids, types = [1, 2, 3, 4], ["load", "fit", "check", "report"]
    tasks = Columns(
        {
            "id": integers(ids),
            "name": texts(types),
            "type": texts(types),
            "duration_ns": integers([took * S for took in took_s]),
        }
    )
    edges = Columns({"from_task": integers([1, 1, 2, 3]), "to_task": integers([2, 3, 4, 4])})
    return chain_answers(tasks, structure(tasks, edges))


def test_types_have_their_share_of_the_longest_chain():
    found = answers(10, 60, 50, 30)

    assert found is not None
    assert found[0] == (
        "When tasks ran is not known. Of the longest chain, which takes 1 min 40 s, most is fit (60 %),"
        " report (30 %), load (10 %)."
    )


def test_another_chain_may_be_the_longest_once_one_is_faster():
    found = answers(10, 60, 50, 30)

    assert found is not None
    assert "If fit were twice as fast, the longest chain would take 10.0 s less" in found[1]


def test_tasks_of_no_known_length_tell_nothing():
    assert answers(0, 0, 0, 0) is None
