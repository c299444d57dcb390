"""The host's files, as real kernels write them."""

from __future__ import annotations

from longpole.record.samplers.host import (
    parse_cpu,
    parse_disks,
    parse_memory,
    parse_network,
    parse_nfs,
    parse_pressure,
)

NFS = b"""device /dev/sda1 mounted on / with fstype ext4
device server:/home mounted on /home with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2
\tage:\t100
\tevents:\t1 2 3
\tbytes:\t100 200 0 0 4096 8192 1 2
\tper-op statistics
\t        READ: 7 7 0 1000 2000 0 0 0 0
\t       WRITE: 9 9 0 1000 2000 0 0 0 0
"""


def test_cpu_seconds_are_summed_over_kinds() -> None:
    line = b"cpu  100 50 30 1000 20 5 5 10 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n"

    assert parse_cpu(line) == (1.5, 0.4, 0.2, 0.1)


def test_memory_in_use_is_what_programs_cannot_have() -> None:
    lines = (
        b"MemTotal: 1000",
        b"MemFree: 10",
        b"MemAvailable: 400",
        b"Cached: 300",
        b"SwapTotal: 50",
        b"SwapFree: 20",
    )
    text = b" kB\n".join(lines) + b" kB\n"

    assert parse_memory(text) == (600 * 1024, 400 * 1024, 300 * 1024, 30 * 1024)


def test_loopback_is_no_network() -> None:
    text = (
        b"head\nhead\n    lo: 9 9 0 0 0 0 0 0 9 9 0 0 0 0 0 0\n  eth0: 100 2 0 0 0 0 0 0 300 4 0 0 0 0 0 0\n"
    )

    assert list(parse_network(text)) == [("eth0", (100.0, 300.0, 2.0, 4.0))]


def test_partitions_and_loop_devices_do_not_count_twice() -> None:
    rows = [b"8 0 sda", b"8 1 sda1", b"259 0 nvme0n1", b"259 1 nvme0n1p1", b"7 0 loop0", b"253 0 dm-0"]
    text = b"\n".join(row + b" 10 0 8 5 20 0 16 5 0 1500 10" for row in rows)

    assert [name for name, _ in parse_disks(text)] == ["sda", "nvme0n1"]
    assert dict(parse_disks(text))["sda"] == (8 * 512, 16 * 512, 30, 1.5)


def test_nfs_counts_what_went_over_the_network() -> None:
    assert list(parse_nfs(NFS)) == [("/home", (4096.0, 8192.0, 7.0, 9.0))]


def test_pressure_is_the_time_something_waited() -> None:
    some = b"some avg10=0.00 avg60=0.00 avg300=0.00 total=%d\n"
    full = b"full avg10=0.00 avg60=0.00 avg300=0.00 total=%d\n"

    assert parse_pressure(some % 1_000_000, some % 2_000_000, some % 3_000_000 + full % 500_000) == (
        1.0,
        2.0,
        3.0,
        0.5,
    )
