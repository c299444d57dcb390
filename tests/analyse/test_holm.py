from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.holm import corrected, levels

PS = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def test_p_values_are_corrected_as_holm_has_it() -> None:
    """Worked by hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, 1 x 0.04 but no less than the one before."""
    assert corrected([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_one_test_needs_no_correction() -> None:
    assert corrected([0.03]) == [0.03]
    assert levels([0.03], 0.02) == [0.02]


@given(PS)
def test_a_correction_never_makes_p_smaller_nor_changes_their_order(ps: list[float]) -> None:
    found = corrected(ps)

    assert all(after >= before for before, after in zip(ps, found, strict=True))
    assert [found[at] for at in sorted(range(len(ps)), key=lambda at: ps[at])] == sorted(found)


@given(PS, st.sampled_from([0.01, 0.02, 0.05]))
def test_what_is_shown_by_its_corrected_p_is_shown_at_its_own_level(ps: list[float], level: float) -> None:
    for p, right, held in zip(ps, corrected(ps), levels(ps, level), strict=True):
        if abs(right - level) > 1e-12:
            assert (right <= level) == (p <= held)
        assert level / len(ps) <= held <= level
