"""Why one phase matters: what it is made of, how much of the path it is, and what a change of it would do.

Method: all phases of a name, or the one of an id, with their parts. The run is replayed without them, and
with each taking twice as long.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.graph import Whole
from longpole.analyse.replay import Replay
from longpole.analyse.rules.case import Case
from longpole.analyse.sentences import count_of
from longpole.errors import NoSuchPhaseError
from longpole.model.explanation import Blame, Why
from longpole.units import show_seconds

_MOST_CLOSE = 5


def why(case: Case, replay: Replay, wanted: str) -> Why:
    """Return what is known of phases by name, kind or id.

    Raises:
        NoSuchPhaseError: There is none.
    """
    places = _chosen(case, wanted)
    inside = _inside(case, places)
    took = case.took_ns[places]
    serial = bool(case.tree.serial[places].all())
    gone, twice = (_moved_s(case, replay, inside, factor) for factor in (0.0, 2.0))
    found = Why(
        phase=wanted,
        kinds=tuple(dict.fromkeys(case.tree.kinds[kind] for kind in case.tree.kind[places].tolist())),
        count=len(places),
        total_s=int(took.sum()) / 1e9,
        longest_s=int(took.max()) / 1e9,
        own_s=int(case.tree.self_ns[places].sum()) / 1e9 if serial else None,
        on_path_s=int(case.on_path_ns[inside].sum()) / 1e9,
        parts=_parts(case, places, inside) if serial else (),
        within=_within(case, places),
        saved_if_gone_s=max(0.0, gone),
        lost_if_twice_s=max(0.0, -twice),
        sentences=(),
    )
    return _with_sentences(found, case)


def _chosen(case: Case, wanted: str) -> Whole:
    """Return the outermost phases of a name, else of a kind, else of an id, else of a program."""
    words = [at for at, word in enumerate(case.labels.words) if word == wanted]
    kinds = [at for at, kind in enumerate(case.tree.kinds) if kind == wanted]
    ways = [np.isin(case.labels.codes, words), np.isin(case.tree.name, _named(case, wanted))]
    ways += [np.isin(case.tree.kind, kinds), case.tree.ids == (int(wanted) if wanted.isdigit() else -1)]
    scripts = [at for at, word in enumerate(case.labels.words) if word.startswith(f"{wanted} ")]
    ways += [np.isin(case.labels.codes, scripts)]  # python, for python fit.py
    for chosen in ways:
        if chosen.any():
            outermost = chosen & ~np.where(case.tree.parent >= 0, chosen[case.tree.parent], False)
            return np.flatnonzero(outermost)
    known = sorted({*case.labels.words, *case.tree.names, *case.tree.kinds} - {""})
    raise NoSuchPhaseError(wanted, get_close_matches(wanted, known, _MOST_CLOSE) or known)


def _named(case: Case, wanted: str) -> list[int]:
    return [at for at, name in enumerate(case.tree.names) if name == wanted]


def _inside(case: Case, places: Whole) -> Whole:
    """Return phases with all that is within them."""
    marked = np.zeros(len(case.tree), np.bool_)
    marked[places] = True
    return np.flatnonzero(case.tree.with_all_within(marked))


def _moved_s(case: Case, replay: Replay, places: Whole, factor: float) -> float:
    return replay.saving_s(Change(factors=case.factors(places, factor)))


def _parts(case: Case, places: Whole, inside: Whole) -> tuple[Blame, ...]:
    """Return what phases are made of: the own time of each kind and name within them."""
    parts = inside[~np.isin(inside, places)]
    sums: Counter[tuple[str, str]] = Counter()
    keys = case.labels.codes[parts] * len(case.tree.kinds) + case.tree.kind[parts]
    for key in np.unique(keys).tolist():
        label, kind = divmod(key, len(case.tree.kinds))
        own = int(case.tree.self_ns[parts[keys == key]].sum())
        sums[case.labels.words[label] or "?", case.tree.kinds[kind]] += own
    return tuple(Blame(what, kind, took / 1e9) for (what, kind), took in sums.most_common())


def _within(case: Case, places: Whole) -> tuple[str, ...]:
    above = case.tree.parent[places]
    names = Counter(case.labels.of(place) for place in above[above >= 0].tolist())
    return tuple(name for name, _ in names.most_common(_MOST_CLOSE))


def _with_sentences(found: Why, case: Case) -> Why:
    share = 100 * found.on_path_s * 1e9 / max(case.makespan_ns, 1)
    total, longest = show_seconds(found.total_s), show_seconds(found.longest_s)
    gone, twice = show_seconds(found.saved_if_gone_s), show_seconds(found.lost_if_twice_s)
    sentences = (
        f"{count_of(found.count, 'phase')} of that name took {total} in all, the longest {longest}.",
        f"{show_seconds(found.on_path_s)} of that is on the critical path: {share:.0f} % of the makespan.",
        f"Without it the run would end {gone} sooner; if it took twice as long, {twice} later.",
    )
    return replace(found, sentences=sentences)
