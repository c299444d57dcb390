from __future__ import annotations

import pytest

from longpole.model.plan import RULES, Amount, Clustering, Grouping, Placement, total
from longpole.model.workflow import WorkflowError


def test_every_placement_has_its_rules():
    assert set(RULES) == set(Placement)


def test_links_copy_nothing_and_http_does():
    assert [placement for placement in Placement if not RULES[placement].copies] == ["links", "shared-fs"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"how": Grouping.HORIZONTAL},
        {"how": Grouping.HORIZONTAL, "tasks": 1, "jobs": 2},
        {"how": Grouping.WHOLE, "tasks": 1},
        {"how": Grouping.HORIZONTAL, "tasks": 0},
    ],
)
def test_a_clustering_that_cannot_be_is_refused(wrong):
    with pytest.raises(WorkflowError):
        Clustering(**wrong)


def test_a_clustering_is_written_as_it_is_typed():
    assert str(Clustering(Grouping.HORIZONTAL, tasks=3)) == "tasks=3"
    assert str(Clustering(Grouping.LABEL)) == "label"


def test_a_sum_is_known_if_all_its_parts_are():
    assert total([Amount(1), Amount(2)]).value == 3
    assert total([Amount(1), Amount(2, exact=False)]).value is None
    assert total([Amount(1), Amount(2, exact=False)]).at_least == 3
