"""Which group a run belongs to: by placement, by name, or by any parameter, or several of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longpole.app.compared_runs import COMMON
from longpole.errors import UsageError
from longpole.model.plan import IN_ORDER
from longpole.model.run_times import VARIANT

# What groups are made by if nothing is said: the first of these in which runs differ.
_USUAL = (("placement", VARIANT), ("name",), ("series",))
# What comes first is what others are compared with.
_ORDER: Mapping[str, Sequence[str]] = {
    "placement": IN_ORDER,
    VARIANT: ("published", "tuned"),
}
# In these groups stand in the order in which their runs were named.
_AS_GIVEN = ("name", "series", "workflow", "machine")
NONE = "none"

Facts = Mapping[str, str]


def chosen_keys(runs: Sequence[Facts], by: str, partial: Sequence[Facts] = ()) -> tuple[str, ...]:
    """Return what makes the groups.

    Args:
        runs: What the runs can be told apart by.
        by: Words with commas between them; empty: what they differ in.
        partial: The same of runs of which not all is known: what they do not tell is no difference.

    Raises:
        UsageError: No run has a parameter of that name.

    Examples:
        >>> chosen_keys([{"placement": "links", "name": "a"}, {"placement": "links", "name": "b"}], "")
        ('name',)
    """
    if by:
        keys = tuple(dict.fromkeys(word.strip() for word in by.split(",")))
        for key in keys:
            if not any(key in facts for facts in (*runs, *partial)):
                raise UsageError(_unknown(key, (*runs, *partial)))
        return keys
    for usual in _USUAL:
        differing = tuple(key for key in usual if len(_values(key, runs, partial)) > 1)
        if differing:
            return differing
    return ("placement",) if any(facts.get("placement") for facts in runs) else ("name",)


def group_of(facts: Facts, keys: Sequence[str]) -> str:
    """Return the name of the group that a run belongs to.

    Examples:
        >>> group_of({"placement": "links", "variant": "tuned"}, ("placement", "variant"))
        'links, tuned'
    """
    return ", ".join(facts.get(key) or NONE for key in keys)


def in_order(runs: Sequence[Facts], keys: Sequence[str]) -> list[str]:
    """Return the names of all groups; that which others are compared with first.

    Examples:
        >>> in_order([{"placement": "clustering"}, {"placement": "baseline"}], ("placement",))
        ['baseline', 'clustering']
        >>> in_order([{"batch": "128"}, {"batch": "32"}], ("batch",))
        ['32', '128']
    """
    ranks = [_ranks(runs, key) for key in keys]
    ordered = sorted(
        runs, key=lambda facts: [rank[facts.get(key, "")] for rank, key in zip(ranks, keys, strict=True)]
    )
    return list(dict.fromkeys(group_of(facts, keys) for facts in ordered))


def _values(key: str, runs: Sequence[Facts], partial: Sequence[Facts]) -> set[str]:
    return {facts.get(key, "") for facts in runs} | {facts[key] for facts in partial if facts.get(key)}


def _ranks(runs: Sequence[Facts], key: str) -> dict[str, int]:
    """Return the place of each value of a fact among all."""
    values = list(dict.fromkeys(facts.get(key, "") for facts in runs))
    if key in _ORDER:
        known = list(_ORDER[key])
        values.sort(key=lambda value: known.index(value) if value in known else len(known))
    elif key not in _AS_GIVEN:
        values.sort(key=_natural)
    return {value: place for place, value in enumerate(values)}


def _natural(value: str) -> tuple[float, str]:
    try:
        return float(value), value
    except ValueError:
        return float("inf"), value


def _unknown(key: str, runs: Sequence[Facts]) -> str:
    parameters = sorted({name for facts in runs for name in facts} - set(COMMON))
    known = ", ".join([*COMMON, *parameters])
    return f"These runs have no '{key}' to be grouped by. There are {known}."
