from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from longpole.measure import disk as module
from longpole.measure import folder
from longpole.measure.disk import Disk
from longpole.measure.probe import UnmeasurableError


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A folder on what counts as a disk, and files of a few blocks."""
    monkeypatch.setattr(folder, "file_system", lambda _: "ext4")
    monkeypatch.setattr(module, "MOST", 40_000_000)
    return tmp_path


def test_a_trial_has_both_rates_and_leaves_no_file(small):
    probe = Disk(small)

    found = probe.trial()

    assert os.listdir(small) == []
    probe.close()
    assert set(found) == {"disk-read", "disk-write"}
    assert all(1e5 < rate < 1e13 for rate in found.values())


def test_without_direct_access_it_falls_back_and_says_so(small, monkeypatch):
    real = os.open

    def refuse(path, flags, mode=0o777):
        if flags & os.O_DIRECT:
            raise OSError(errno.EINVAL, "Invalid argument")
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", refuse)

    probe = Disk(small)

    found = probe.trial()
    probe.close()
    assert "O_DIRECT is refused" in probe.remark
    assert "flushed and dropped" in probe.how
    assert found["disk-read"] > 0


def test_direct_access_that_fails_only_at_the_first_write_falls_back(small, monkeypatch):
    real, calls = os.pwritev, []

    def refuse(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise OSError(errno.EINVAL, "Invalid argument")
        return real(*arguments)

    monkeypatch.setattr(os, "pwritev", refuse)

    probe = Disk(small)

    probe.close()
    assert "O_DIRECT is refused" in probe.remark


def test_a_disk_that_fills_up_leaves_no_file_and_no_open_one(small, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwritev", full)
    before = len(os.listdir("/proc/self/fd"))

    with pytest.raises(OSError, match="No space left"):
        Disk(small)
    assert os.listdir(small) == []
    assert len(os.listdir("/proc/self/fd")) == before


def test_memory_is_no_disk():
    if folder.file_system(Path("/dev/shm")) != "tmpfs":
        pytest.skip("needs a tmpfs at /dev/shm")

    with pytest.raises(UnmeasurableError, match="in memory"):
        Disk(Path("/dev/shm"))
