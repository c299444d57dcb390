"""The best limits that a driver can have are found, as whoever it runs."""

from __future__ import annotations

import subprocess

from tests.allocating import MB, hold
from tests.recording import Someone

_DRIVER = f"""
import os, subprocess, sys, time
from longpole.run.memory.limits import find_limits
limits = find_limits(os.getpid())
limit = limits.create('job', {50 * MB})
command = limit.wrap([sys.executable, '-c', {hold(150 * MB)!r}])
job = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
limit.started(job.pid)
job.stdout.readline()
over = limits.look(time.monotonic_ns())
job.communicate()
limit.close()
limits.close()
print(limits.how, over, limit.ran_out(), limit.peak_bytes() > {20 * MB}, sep='|')
"""


def test_a_job_that_takes_too_much_is_known_whoever_runs_it(anyone: Someone) -> None:
    done = subprocess.run(
        [*anyone.prefix, anyone.python, "-c", _DRIVER],
        env=anyone.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    how, over, ran_out, peak = done.stdout.strip().split("|")
    assert how in ("cgroup v1", "cgroup v2", "watched"), done.stderr
    assert over == ("['job']" if how == "watched" else "[]")
    assert (ran_out, peak) == ("True", "True")
