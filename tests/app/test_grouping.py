from __future__ import annotations

import pytest

from longpole.app.grouping import chosen_keys, group_of, in_order
from longpole.errors import UsageError


def facts(**values: str) -> dict[str, str]:
    return {"placement": "", "name": "tiles", "series": "", "workflow": "", "machine": "", **values}


@pytest.mark.parametrize(
    ("runs", "keys"),
    [
        ([facts(placement="links"), facts(placement="baseline")], ("placement",)),
        ([facts(variant="tuned"), facts(variant="published")], ("variant",)),
        (
            [facts(placement="links", variant="tuned"), facts(placement="baseline", variant="published")],
            ("placement", "variant"),
        ),
        ([facts(name="before"), facts(name="after")], ("name",)),
        ([facts(series="a"), facts(series="b")], ("series",)),
        ([facts(placement="links"), facts(placement="links")], ("placement",)),
        ([facts(), facts()], ("name",)),
    ],
)
def test_runs_are_grouped_by_what_they_differ_in(runs: list[dict[str, str]], keys: tuple[str, ...]) -> None:
    assert chosen_keys(runs, "") == keys


def test_what_a_run_does_not_tell_is_no_difference() -> None:
    runs = [facts(placement="links", name="before"), facts(placement="links", name="after")]

    assert chosen_keys(runs, "", [facts(name="after")]) == ("name",)
    assert chosen_keys(runs[:1], "", [facts(name="after")]) == ("name",)
    assert chosen_keys(runs[:1], "", [facts(name="before")]) == ("placement",)
    assert chosen_keys([], "workflow", runs) == ("workflow",)


def test_groups_are_made_by_any_parameter_or_several() -> None:
    runs = [facts(batch="32", placement="links"), facts(batch="128", placement="links")]

    assert chosen_keys(runs, "batch, placement") == ("batch", "placement")
    assert [group_of(run, ("batch", "placement")) for run in runs] == ["32, links", "128, links"]
    assert group_of(facts(), ("batch",)) == "none"


def test_what_no_run_has_is_refused_and_what_there_is_named() -> None:
    with pytest.raises(UsageError, match=r"no 'bach' .* placement, name, series, workflow, machine, batch"):
        chosen_keys([facts(batch="32")], "bach")


def test_the_baseline_comes_first_whoever_ran_first() -> None:
    runs = [facts(placement=one) for one in ("clustering", "shared-fs", "links", "baseline")]

    assert in_order(runs, ("placement",)) == ["baseline", "links", "shared-fs", "clustering"]
    assert in_order(runs[:3], ("placement",))[0] == "links"
    assert in_order([facts(variant="tuned"), facts(variant="published")], ("variant",))[0] == "published"


def test_numbers_are_in_the_order_of_numbers_and_names_as_they_were_given() -> None:
    assert in_order([facts(n=one) for one in ("10", "9", "x")], ("n",)) == ["9", "10", "x"]
    assert in_order([facts(name=one) for one in ("z", "a")], ("name",)) == ["z", "a"]
