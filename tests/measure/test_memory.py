from __future__ import annotations

import pytest

from longpole.measure.cache_sizes import last_level_cache
from longpole.measure.memory import Memory, array_bytes
from longpole.measure.probe import UnmeasurableError


def test_a_trial_is_a_rate_over_arrays_that_no_cache_holds():
    probe = Memory()

    found = probe.trial()
    held = sum(array.nbytes for pair in probe._pairs for array in pair)

    probe.close()
    assert 1e8 < found["memory"] < 1e14
    assert held >= 3.9 * last_level_cache()


def test_arrays_are_four_times_the_caches_and_a_quarter_of_memory_at_most():
    assert array_bytes(1 << 30, 64 << 30) == (4 << 30, "")
    size, remark = array_bytes(1 << 30, 8 << 30)
    assert size == 2 << 30
    assert "not four times the caches" in remark


def test_too_little_memory_is_said():
    with pytest.raises(UnmeasurableError, match="too little free memory"):
        array_bytes(1 << 30, 1 << 30)
