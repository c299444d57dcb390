"""A driver in miniature: runs so many tasks one after the other, and tells of them as a real driver does.

Takes how many tasks there are, with which to begin, and in the midst of which to be killed (0: of none).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import msgspec

from longpole.log.files import LogWriter
from longpole.record.rundir import boot_id
from longpole.store.derive.note import Note
from longpole.store.derive.notes import Clock, Ended, Host
from longpole.store.derive.workflow_notes import Driver, End, Files, Part, Parts, Planned, Start

tasks, first, killed_in = map(int, sys.argv[1:])
log = LogWriter(os.environ["LONGPOLE_RUN"], time.time_ns(), "driver-0000")
now = time.monotonic_ns


def tell(*notes: Note) -> None:
    log.notes([msgspec.json.encode(note) for note in notes])
    log.flush()


def execute(job: int, attempt: int) -> None:
    ready = now()
    tell(Start(job, attempt, now(), ready))
    began = now()
    child = subprocess.Popen(
        ["sh", "-c", "head -c 3000000 /dev/urandom | wc -c; true"], stdout=subprocess.DEVNULL
    )
    tell(Parts(job, attempt, (Part("exec", began, 0, pid=child.pid, own=1),)))
    if job == killed_in:
        os.kill(os.getpid(), signal.SIGKILL)
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    ended = now()
    cpu_us = round(used.ru_utime * 1e6), round(used.ru_stime * 1e6)
    parts = Part("exec", began, ended, pid=child.pid, own=1, used=cpu_us), Part("post", ended, now())
    tell(End(job, attempt, now(), 0, parts, ((job, 5, "aa"),)))


began = now()
tell(Host(os.uname().nodename, boot=boot_id(), cores=os.cpu_count()), Clock(began, time.time_ns() - began))
tell(Driver(began, os.getpid(), "chain", "baseline"), Files(1, tuple(f"out/{at}" for at in range(tasks))))
for number in range(1, tasks + 1):
    tell(Planned(number, f"link {number}", "link", (number - 1,) if number > 1 else (), (number,)))
tell(Parts(0, 0, (Part("plan", began, now()),)))
for number in range(first, tasks + 1):
    execute(number, 2 if number == first > 1 else 1)
tell(Ended(now()))
log.close()
