from __future__ import annotations

import subprocess
import sys

import pytest

from longpole.measure import startup
from longpole.measure.probe import UnmeasurableError
from longpole.measure.startup import Import, Starts, is_installed, start_s


def test_an_interpreter_starts_more_slowly_than_a_process():
    probe = Starts()

    trials = [probe.trial() for _ in range(5)]

    assert min(one["interpreter"] for one in trials) > min(one["process"] for one in trials) > 0


def test_an_import_costs_more_than_nothing():
    probe = Import("numpy")

    assert probe.trial()["import numpy"] > 0.001


def test_the_end_of_a_start_is_waited_for_and_not_looked_for_now_and_then(monkeypatch):
    real, waits = subprocess.Popen._wait, []  # type: ignore[attr-defined]  # with a timeout, it polls

    def wait(process, timeout):
        waits.append(timeout)
        return real(process, timeout)

    monkeypatch.setattr(subprocess.Popen, "_wait", wait)

    start_s(["true"])

    assert waits == [None]


def test_a_package_that_is_not_here_is_said():
    assert not is_installed("no_such_package")
    with pytest.raises(UnmeasurableError, match="no_such_package is not installed"):
        Import("no_such_package")


def test_a_start_that_fails_is_said():
    with pytest.raises(UnmeasurableError, match="'import no_such' fails with exit code 1"):
        start_s([sys.executable, "-c", "import no_such"])


def test_a_start_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr(startup, "_LONGEST_S", 0.2)

    with pytest.raises(UnmeasurableError, match="takes minutes"):
        start_s([sys.executable, "-c", "import threading; threading.Event().wait()"])
