"""Control groups hold the memory of jobs, and leave nothing behind. They are real: none, no test."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from longpole.record.proc import read_stat
from longpole.run.memory.cgroup_v1 import find_v1
from longpole.run.memory.cgroup_v2 import find_v2
from longpole.run.memory.group_files import members
from longpole.run.memory.groups import GroupLimit, GroupLimits
from tests.allocating import MB, allocate, hold, hold_in_children, lose_a_child
from tests.parts import need

LIMIT = 60 * MB


@pytest.fixture
def limits() -> Iterator[GroupLimits]:
    need("memory-cgroup")
    found = find_v2(os.getpid()) or find_v1(os.getpid())
    assert found
    yield found
    found.close()
    assert not Path(found._folder).exists()


def start(limit: GroupLimit, program: str) -> subprocess.Popen[str]:
    command = limit.wrap([sys.executable, "-c", program])
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def run(limit: GroupLimit, program: str) -> int:
    with start(limit, program) as process:
        process.communicate(timeout=60)
        return process.returncode


def test_a_job_within_its_limit_runs_to_its_end(limits: GroupLimits) -> None:
    limit = limits.create("a", LIMIT)

    assert run(limit, allocate(20 * MB)) == 0
    assert not limit.ran_out()
    assert 20 * MB < (limit.peak_bytes() or 0) < LIMIT


def test_a_job_over_its_limit_is_killed_and_known(limits: GroupLimits) -> None:
    limit = limits.create("a", LIMIT)

    assert run(limit, allocate(200 * MB)) == -9
    assert limit.ran_out()
    assert limits.look(0) == []


def test_memory_of_children_counts_together(limits: GroupLimits) -> None:
    limit = limits.create("a", LIMIT)

    with start(limit, hold_in_children(25 * MB, 4)) as job:
        limit_was_met = _until(limit.ran_out)
        limits.look(0)
        job.communicate(timeout=60)

    assert limit_was_met


def test_a_job_that_goes_on_without_its_killed_child_is_killed(limits: GroupLimits) -> None:
    limit = limits.create("a", LIMIT)

    with start(limit, lose_a_child(200 * MB)) as job:
        assert _until(limit.ran_out)
        limits.look(0)
        job.wait(timeout=60)

    assert job.returncode == -9


def test_one_job_out_of_memory_does_not_disturb_another(limits: GroupLimits) -> None:
    greedy, modest = limits.create("greedy", LIMIT), limits.create("modest", LIMIT)

    with start(modest, hold(20 * MB)) as job:
        assert job.stdout
        assert job.stdout.readline() == "full\n"
        assert run(greedy, allocate(200 * MB)) == -9
        limits.look(0)
        assert job.poll() is None
        job.communicate(timeout=60)

    assert job.returncode == 0
    assert (greedy.ran_out(), modest.ran_out()) == (True, False)


def test_reading_files_larger_than_the_limit_is_no_fault(limits: GroupLimits, tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(os.urandom(MB) * 150)
    limit = limits.create("a", LIMIT)

    code = run(limit, f"f = open({str(large)!r}, 'rb')\nwhile f.read(1 << 20): pass")

    assert code == 0
    assert not limit.ran_out()


def test_closing_kills_what_is_left_and_keeps_the_answers(limits: GroupLimits) -> None:
    limit = limits.create("a", LIMIT)
    with start(limit, hold(20 * MB)) as job:
        assert job.stdout
        job.stdout.readline()

        limit.close()
        job.wait(timeout=60)

    limit.close()
    assert job.returncode == -9
    assert (limit.peak_bytes() or 0) > 20 * MB
    assert not limit.ran_out()
    assert not Path(limit._group).exists()


def test_arguments_are_not_changed_on_the_way(limits: GroupLimits) -> None:
    awkward = ["two  blanks", "it's", "$HOME", "", "-c", "✓"]
    command = limits.create("a", LIMIT).wrap(
        [sys.executable, "-c", "import sys; print(sys.argv[1:])", *awkward]
    )

    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == str(awkward)


def test_what_a_killed_driver_left_is_removed_once_nothing_runs_there(limits: GroupLimits) -> None:
    parent = Path(limits._folder).parent
    with _DeadDriver(parent) as (folder, survivor):
        GroupLimits(limits._version, str(parent), os.getpid())
        kept = folder.exists()
        survivor.kill()
        survivor.wait()
        assert _until(lambda: not members(str(folder)))
        GroupLimits(limits._version, str(parent), os.getpid())

    assert kept
    assert not folder.exists()


def test_the_groups_of_a_living_driver_are_left_alone(limits: GroupLimits) -> None:
    limit = limits.create("a", LIMIT)

    GroupLimits(limits._version, str(Path(limits._folder).parent), os.getpid())

    assert Path(limit._group).is_dir()


class _DeadDriver:
    """A folder as a driver that was killed leaves it, with a process of its job."""

    def __init__(self, parent: Path) -> None:
        with subprocess.Popen(["true"]) as gone:
            stat = read_stat(gone.pid)
        self.folder = parent / f"longpole-{gone.pid}-{stat.start_ticks if stat else 1}"

    def __enter__(self) -> tuple[Path, subprocess.Popen[bytes]]:
        self.folder.mkdir()
        self.survivor = subprocess.Popen(["sleep", "60"])
        (self.folder / "cgroup.procs").write_text(str(self.survivor.pid))
        return self.folder, self.survivor

    def __exit__(self, *error: object) -> None:
        self.survivor.kill()
        self.survivor.wait()
        if self.folder.exists():
            _until(lambda: not members(str(self.folder)))
            self.folder.rmdir()


def _until(met) -> bool:
    """Wait until something is so, at most a minute."""
    end = time.monotonic() + 60
    while not met() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(met())
