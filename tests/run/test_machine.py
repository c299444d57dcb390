"""What jobs may use of a machine: what was asked for, and never more than there is."""

from __future__ import annotations

import os

from longpole.run.machine import this_machine
from longpole.run.request import Request


def test_without_a_wish_jobs_may_use_all() -> None:
    here = this_machine(Request("made.yaml"))

    assert here.cores == len(os.sched_getaffinity(0))
    assert here.memory_bytes > 0


def test_less_may_be_asked_for() -> None:
    here = this_machine(Request("made.yaml", cores=1, memory_bytes=1000))

    assert (here.cores, here.memory_bytes) == (1, 1000)


def test_no_more_is_used_than_there_is() -> None:
    every = this_machine(Request("made.yaml"))

    assert this_machine(Request("made.yaml", cores=1 << 20, memory_bytes=1 << 60)) == every
