from __future__ import annotations

import os

import pytest

from longpole.measure.cores import Ticks, allowed_cores, ticks, workers


def cgroup(tmp_path, *lines):
    own = tmp_path / "cgroup"
    own.write_text("\n".join(lines) + "\n")
    return own


def test_affinity_limits_the_cores(tmp_path):
    own = cgroup(tmp_path, "0::/")

    assert allowed_cores(tmp_path, own) == len(os.sched_getaffinity(0))


def test_a_quota_of_version_2_allows_a_part_of_a_core(tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "cpu.max").write_text("50000 100000\n")

    assert allowed_cores(tmp_path, cgroup(tmp_path, "0::/job")) == 0.5


def test_a_quota_of_a_group_above_counts(tmp_path):
    (tmp_path / "job" / "step").mkdir(parents=True)
    (tmp_path / "job" / "cpu.max").write_text("25000 100000\n")
    (tmp_path / "job" / "step" / "cpu.max").write_text("max 100000\n")

    assert allowed_cores(tmp_path, cgroup(tmp_path, "0::/job/step")) == 0.25


def test_a_quota_of_version_1_counts(tmp_path):
    folder = tmp_path / "cpu" / "job"
    folder.mkdir(parents=True)
    (folder / "cpu.cfs_quota_us").write_text("75000\n")
    (folder / "cpu.cfs_period_us").write_text("100000\n")

    assert allowed_cores(tmp_path, cgroup(tmp_path, "4:cpu,cpuacct:/job")) == 0.75


def test_there_is_always_someone_to_work():
    assert workers() >= 1


def test_others_are_what_is_busy_and_not_ours(tmp_path):
    mine = sorted(os.sched_getaffinity(0))
    stat = tmp_path / "stat"
    stat.write_text(f"cpu 9 9 9 9\ncpu{mine[0]} 100 0 50 1000 7 0 0 50 0 0\ncpu99999 700 0 0 0 0 0 0 0 0 0\n")

    found = ticks(stat)

    assert found.busy_s == pytest.approx(200 / os.sysconf("SC_CLK_TCK"))


def test_where_nothing_is_told_nobody_is_seen(tmp_path):
    before = ticks(tmp_path / "none")

    assert before.others_s(ticks(tmp_path / "none")) == 0.0


def test_our_own_work_is_not_that_of_others():
    assert Ticks(0.0, 0.0, 1).others_s(Ticks(9.0, 9.0, 1)) == 0.0
