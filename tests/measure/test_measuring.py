from __future__ import annotations

from pathlib import Path

import pytest

from longpole.measure import measuring
from longpole.measure.catalogue import Entry, Wishes
from longpole.measure.cores import allowed_cores
from longpole.measure.measuring import Identity, measure
from longpole.measure.probe import UnmeasurableError
from longpole.measure.repeats import agree
from longpole.model.measured import MOST_OTHERS, LeftOut
from tests.measure.probes import Clock, Made

QUICK = ("flops", "memory", "metadata", "cached-read", "loopback", "interpreter", "process")


@pytest.fixture
def made(monkeypatch):
    """A function that lets these entries be all there is."""

    def use(*entries):
        monkeypatch.setattr(measuring, "entries", lambda _wishes: list(entries))

    return use


def fails():
    raise UnmeasurableError("It is not here.")


def test_two_measurements_of_this_machine_agree_within_their_spreads():
    here = Wishes(Path.cwd(), only=QUICK)

    one, other = (measure(here, Identity("here"), seconds=8) for _ in range(2))

    if max(one.others, other.others) >= MOST_OTHERS:
        pytest.skip("needs a quieter machine: others hold more than half of its cores")
    assert {found.name for found in one.measured} >= {"flops", "memory", "interpreter"}
    for first, second in zip(one.measured, other.measured, strict=True):
        assert agree(first, second), (first, second)
        assert len(first.values) >= 5


def test_peaks_and_overheads_become_a_machine(made, tmp_path):
    clock = Clock()
    made(
        Entry(("memory",), lambda: Made(clock, values=[10.0, 8.0])),
        Entry(("network",), lambda: Made(clock, name="network", values=[3.0])),
        Entry(("process",), lambda: Made(clock, name="process", values=[0.001234567])),
    )

    machine = measure(Wishes(tmp_path), Identity("here", 4, "a command", "Quiet."), 0.0).machine

    assert (machine.name, machine.nodes, machine.origin, machine.about) == ("here", 4, "a command", "Quiet.")
    assert (machine.node["memory"].nominal, machine.node["memory"].source) == (10.0, "measured: made up")
    assert machine.node["memory"].spread >= 0.2
    assert machine.system["network"].per_node
    assert machine.overheads["process"].seconds == 0.001235
    assert machine.cores == allowed_cores()


def test_what_cannot_be_measured_is_left_out_and_the_rest_is_not(made, tmp_path):
    made(
        Entry(("hbm",), fails),
        Entry(("memory",), lambda: Made(Clock())),
        Entry(("loopback",), lambda: Made(Clock(), name="loopback", fails_after=0)),
    )

    found = measure(Wishes(tmp_path), Identity("here"), 0.0)

    assert set(found.machine.node) == {"cpu", "memory"}
    assert found.left_out == (
        LeftOut("hbm", "It is not here."),
        LeftOut("loopback", "It failed: No space left on device."),
    )


def test_a_probe_that_failed_later_keeps_its_repeats_and_says_so(made, tmp_path):
    made(Entry(("memory",), lambda: Made(Clock(), fails_after=2)))

    found = measure(Wishes(tmp_path, only=("memory",)), Identity("here"), 0.0)

    assert (len(found.measured[0].values), found.left_out) == (2, ())
    assert "No space left" in found.measured[0].remark


def test_nothing_at_all_is_an_error_that_says_why(made, tmp_path):
    made(Entry(("hbm",), fails))

    with pytest.raises(UnmeasurableError, match=r"Nothing could be measured. It is not here."):
        measure(Wishes(tmp_path, only=("hbm",)), Identity("here"), 0.0)


def test_every_probe_is_closed_even_after_ctrl_c(made, tmp_path):
    probe, other = Made(Clock(), fails_after=1), Made(Clock(), name="loopback")
    probe.error = KeyboardInterrupt()  # type: ignore[assignment]
    made(Entry(("memory",), lambda: probe), Entry(("loopback",), lambda: other))

    with pytest.raises(KeyboardInterrupt):
        measure(Wishes(tmp_path), Identity("here"), 0.0)

    assert (probe.closed, other.closed) == (1, 1)
