from __future__ import annotations

import os
import sys

import pytest

from longpole.measure import folder
from longpole.measure.metadata import Metadata
from longpole.measure.probe import UnmeasurableError


@pytest.fixture(autouse=True)
def _disk(monkeypatch):
    monkeypatch.setattr(folder, "file_system", lambda _: "ext4")


def test_a_trial_is_a_rate_and_nothing_is_left(tmp_path):
    probe = Metadata(tmp_path)

    found = probe.trial()
    made = len(os.listdir(tmp_path))
    probe.close()

    assert made == 1
    assert os.listdir(tmp_path) == []
    assert set(found) == {"metadata"}
    assert 10 < found["metadata"] < 1e9


def test_processes_that_fail_are_said_and_nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")

    with pytest.raises(UnmeasurableError, match="has failed"):
        Metadata(tmp_path)
    assert os.listdir(tmp_path) == []
