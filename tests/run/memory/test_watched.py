"""Watching finds jobs over their limit, and no others."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.run.memory.watched import INTERVAL_NS, Process, Watch, job_of, read_processes
from tests.allocating import MB, hold, hold_in_children, share_with_children
from tests.recording import Someone

LIMIT = 100 * MB


class Watched:
    """One job that is being watched."""

    def __init__(self, someone: Someone, program: str) -> None:
        self.watch = Watch()
        self.limit = self.watch.create("job", LIMIT)
        command = self.limit.wrap([*someone.prefix, someone.python, "-c", program])
        self.job = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert self.job.stdout
        assert self.job.stdout.readline() == "full\n"
        self.limit.started(self.job.pid)

    def look(self, now_ns: int = INTERVAL_NS) -> list[str]:
        return self.watch.look(now_ns)

    def end(self) -> None:
        self.job.communicate(timeout=60)
        self.limit.close()


@pytest.mark.parametrize(
    ("program", "over"),
    [
        (hold(30 * MB), []),
        (hold(200 * MB), ["job"]),
        (hold_in_children(40 * MB, 4), ["job"]),
        (hold_in_children(5 * MB, 4), []),
        (share_with_children(60 * MB, 4), []),
    ],
    ids=["small", "large", "large together", "small together", "shared"],
)
def test_a_job_is_over_its_limit_by_all_its_processes(anyone: Someone, program: str, over: list[str]) -> None:
    watched = Watched(anyone, program)

    found = watched.look()
    watched.end()

    assert found == over
    assert watched.limit.ran_out() == bool(over)
    assert watched.limit.peak_bytes()


def test_what_has_left_the_job_for_another_session_is_still_counted(user: Someone) -> None:
    orphan = f"import os\nif os.fork() == 0:\n    os.setsid()\n    exec({hold(200 * MB)!r})\n"
    # it looks while the parent is there, and again when it has gone
    watched = Watched(user, orphan + "else:\n    import sys; sys.stdin.readline()")
    assert watched.look() == ["job"]
    assert watched.job.stdin
    watched.job.stdin.write("\n")
    watched.job.stdin.flush()
    watched.job.wait(timeout=60)

    found = watched.look(2 * INTERVAL_NS)
    watched.end()

    assert found == ["job"]


def test_it_looks_no_more_often_than_it_should(user: Someone) -> None:
    watched = Watched(user, hold(200 * MB))

    found = [
        watched.look(now) for now in (INTERVAL_NS, INTERVAL_NS + 1, 2 * INTERVAL_NS - 1, 2 * INTERVAL_NS)
    ]
    watched.end()

    assert found == [["job"], [], [], ["job"]]


def test_a_job_that_has_not_started_or_has_ended_is_not_looked_at(user: Someone) -> None:
    watched = Watched(user, hold(200 * MB))
    watched.watch.create("waiting", 1)
    watched.end()

    assert watched.look() == []


def test_the_page_cache_is_nobody_s_memory(user: Someone, tmp_path) -> None:
    large = tmp_path / "large"
    large.write_bytes(bytes(150 * MB))
    mapped = (
        f"import mmap; f = open({str(large)!r}, 'rb'); m = mmap.mmap(f.fileno(), 0, access=1); sum(m[::4096])"
    )
    watched = Watched(user, f"{mapped}; {hold(MB)}")

    found = watched.look()
    watched.end()

    assert found == []


def test_this_process_is_among_all_with_its_parent() -> None:
    [own] = [process for process in read_processes() if process.pid == os.getpid()]

    assert (own.parent, own.group, own.session) == (os.getppid(), os.getpgrp(), os.getsid(0))
    assert own.start_ticks > 0
    assert sys.executable


PIDS = st.integers(1, 12)


@given(st.lists(st.tuples(PIDS, PIDS), unique_by=lambda pair: pair[0]), PIDS)
def test_a_job_is_closed_under_having_children(pairs: list[tuple[int, int]], first: int) -> None:
    processes = [Process(pid, parent, 100 + pid, 100 + pid, pid) for pid, parent in pairs]

    job = {process.pid for process in job_of(first, frozenset(), processes)}

    assert all(
        (process.pid in job) == (process.pid == first or process.parent in job) for process in processes
    )


def test_a_pid_that_recurred_is_not_of_the_job() -> None:
    stranger = Process(pid=7, parent=1, group=7, session=7, start_ticks=99)

    assert job_of(5, frozenset({(7, 42)}), [stranger]) == []
    assert job_of(5, frozenset({(7, 99)}), [stranger]) == [stranger]
