from __future__ import annotations

import os

from longpole.measure.cache_sizes import free_memory, last_level_cache


def cache(cpus, cpu, index, level, size, shared):
    folder = cpus / f"cpu{cpu}" / "cache" / f"index{index}"
    folder.mkdir(parents=True)
    for name, text in {"level": level, "size": size, "shared_cpu_list": shared}.items():
        (folder / name).write_text(f"{text}\n")


def test_a_cache_that_cores_share_counts_once(tmp_path):
    for cpu in os.sched_getaffinity(0):
        cache(tmp_path, cpu, 0, 1, "32K", cpu)
        cache(tmp_path, cpu, 3, 3, "16384K", "all")

    assert last_level_cache(tmp_path) == 16 << 20


def test_caches_of_single_cores_add_up(tmp_path):
    for cpu in os.sched_getaffinity(0):
        cache(tmp_path, cpu, 2, 2, "1M", cpu)

    assert last_level_cache(tmp_path) == len(os.sched_getaffinity(0)) << 20


def test_a_machine_that_tells_nothing_is_taken_to_have_a_large_one(tmp_path):
    assert last_level_cache(tmp_path) >= 32 << 20


def test_a_control_group_limits_the_free_memory(tmp_path):
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9000 kB\nMemAvailable: 8000 kB\n")
    (tmp_path / "memory.max").write_text("5000000\n")
    (tmp_path / "memory.current").write_text("1000000\n")

    assert free_memory(meminfo, tmp_path) == 4_000_000
    assert free_memory(meminfo, tmp_path / "none") == 8_192_000
