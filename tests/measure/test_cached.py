from __future__ import annotations

import os

import pytest

from longpole.measure import cached, folder
from longpole.measure.cached import Cached
from longpole.measure.probe import UnmeasurableError


def test_a_trial_has_both_rates_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "file_system", lambda _: "ext4")
    probe = Cached(tmp_path)

    found = probe.trial()

    assert os.listdir(tmp_path) == []
    assert [os.fstat(file).st_size for file in probe._files] == [0] * len(probe._files)
    probe.close()
    assert set(found) == {"cached-read", "cached-write"}
    assert all(1e6 < rate < 1e14 for rate in found.values())


def test_too_little_memory_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "file_system", lambda _: "ext4")
    monkeypatch.setattr(cached, "free_memory", lambda: 1000)

    with pytest.raises(UnmeasurableError, match="too little free memory"):
        Cached(tmp_path)
