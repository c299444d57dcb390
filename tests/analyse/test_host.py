from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.host import OwnUse, host_use, stolen_percent
from tests.analyse.evidence import table


def cpu(metric, amount, covered_s=10.0, cores=4.0):
    return ("cpu", "all cores", metric, "cores", cores, amount, covered_s)


def moved(kind, metric, amount, name="eth0", unit="bytes/s"):
    return (kind, name, metric, unit, None, amount, 10.0)


def test_others_are_what_the_run_and_its_recorder_leave():
    # 20 core-seconds of user and 4 of system in 10 s: 2.4 of 4 cores, of which the run had 1.5, recording 0.1
    rows = table("host", cpu("user", 20.0), cpu("system", 4.0), cpu("waiting for I/O", 9.0))

    found = host_use(rows, OwnUse(1.5, 0.1))

    assert found is not None
    assert found.cpu_busy_percent == pytest.approx(60.0)
    assert found.others_cpu_percent == pytest.approx(20.0)


def test_bytes_are_summed_over_devices_and_packets_are_none():
    rows = table(
        "host",
        moved("network", "received", 700.4),
        moved("network", "received", 300.0, name="eth1"),
        moved("network", "received", 12.0, unit="packets/s"),
        moved("network", "sent", 5.0),
        moved("disk", "written", 4096.0, name="sda"),
    )

    found = host_use(rows, OwnUse(None, 0.0))

    assert found is not None
    assert (found.network_rx_bytes, found.network_tx_bytes) == (1000, 5)
    assert (found.disk_read_bytes, found.disk_written_bytes) == (0, 4096)


def test_a_host_that_was_not_sampled_is_not_known():
    assert host_use(table("host"), OwnUse(1.0, 0.0)) is None


def test_others_are_not_known_when_the_run_is_not():
    found = host_use(table("host", cpu("user", 20.0)), OwnUse(None, 0.0))

    assert found is not None
    assert found.others_cpu_percent is None


def test_two_hosts_are_one_with_all_their_cores():
    found = host_use(table("host", cpu("user", 40.0), cpu("user", 20.0, cores=2.0)), OwnUse(0.0, 0.0))

    assert found is not None
    assert found.cpu_busy_percent == pytest.approx(100.0)


def test_stolen_time_is_a_share_of_all_cores():
    assert stolen_percent(table("host", cpu("user", 1.0), cpu("stolen", 4.0))) == pytest.approx(10.0)
    assert stolen_percent(table("host")) == 0.0


AMOUNTS = st.floats(0, 1e6, allow_nan=False)


@given(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS)
def test_others_are_never_below_zero_nor_above_busy(user, system, run, recorder):
    found = host_use(table("host", cpu("user", user), cpu("system", system)), OwnUse(run, recorder))

    assert found is not None
    assert found.others_cpu_percent is not None
    assert found.cpu_busy_percent is not None
    assert 0.0 <= found.others_cpu_percent <= found.cpu_busy_percent <= 100.0
