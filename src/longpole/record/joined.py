"""A ``record`` inside a recorded command: it joins the run of its parent as one phase."""

from __future__ import annotations

import json
import os
import resource
import time

from longpole.log.slots import COST, COST_LAYOUT, FAILED, OK, PHASE, PHASE_LAYOUT
from longpole.record.client.phases import RINGS_VARIABLE
from longpole.record.client.ring import create_ring
from longpole.record.command import find_command, start_command
from longpole.record.discretion import mask_command
from longpole.record.manifest import exit_code_of
from longpole.record.options import name_of
from longpole.record.proc import read_io
from longpole.record.reaper import Reaper
from longpole.record.supervise import Watch, end_as, take_signals
from longpole.record.surroundings import here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.client.ring import Ring
    from longpole.record.options import RecordOptions

_SLOTS = 1024


def launch_joined(command: list[str], options: RecordOptions) -> int:
    """Run a command as one phase of the run that is going on; return as ``launch`` does.

    Raises:
        CannotRunError: The command cannot be started.
    """
    file = find_command(command[0])
    inherited = take_signals()
    io = read_io("self") or (0, 0, 0, 0)
    began_ns = time.monotonic_ns()
    watch = Watch(start_command(file, command, dict(os.environ), inherited), Reaper(None))
    status = watch.until_end()
    try:
        ring = create_ring(os.environ[RINGS_VARIABLE], slots=_SLOTS)
        ring.once(_hello(options))
        _write(
            ring, options.name or name_of(mask_command(command)), (began_ns, time.monotonic_ns()), status, io
        )
    except OSError:
        pass  # the recording has ended before us, or has no room: the command is what matters
    return end_as(status)


def _hello(options: RecordOptions) -> str:
    task = here(options.task).get("task")
    return json.dumps({"role": "launcher", **({"task": task} if task else {})})


def _write(ring: Ring, name: str, times: tuple[int, int], status: int, io: tuple[int, int, int, int]) -> None:
    """Write the phase, and what this launcher itself has used, which is no part of the workload."""
    names = ring.text(name), ring.text("command")
    attributes = ring.once(json.dumps({"exit_code": exit_code_of(status)}))
    outcome = OK if status == 0 else FAILED
    ring.slot(PHASE_LAYOUT, PHASE, outcome, 0, 1, 0, *names, attributes, *times, 0, 0, 0)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = round(usage.ru_utime * 1e6), round(usage.ru_stime * 1e6)
    ring.slot(COST_LAYOUT, COST, 1, 0, os.getpid(), *times, *cpu, io[0], io[1])
    ring.close()
