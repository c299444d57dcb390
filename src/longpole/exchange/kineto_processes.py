"""Which processes a trace of PyTorch's profiler is of: their ranks, names and host.

The rank is that of ``distributedInfo``, else that of the file's name; it is the rank of the process with the
most events. The host is that of ``host_name``, which older traces do not have; else that of the file's name,
if that names the pid of a traced process as well.
"""

from __future__ import annotations

import os
import re
from collections import Counter

import msgspec

from longpole.exchange.kineto_phases import KinetoPhases
from longpole.exchange.trace_events import Scalar, label, pid_of, whole
from longpole.exchange.traced import TracedProcess

_RANK = re.compile(r"(?:^|[^a-z])(?:rank|worker)[-_]?(\d{1,9})(?!\d)", re.IGNORECASE)
# As PyTorch's handler for TensorBoard names files: host, pid, time.
_HOST = re.compile(r"(?P<host>.+)_(?P<pid>\d{1,18})\.\d+\.pt\.trace\.json(?:\.gz)?")


def processes_of(phases: KinetoPhases) -> dict[Scalar, TracedProcess]:
    """Return the processes of a trace by pid."""
    (rank, world), names = rank_of(phases), _names(phases)
    main = Counter(phases.pids).most_common(1)[0][0]
    return {
        pid: TracedProcess(
            name=names.get(pid) or (pid if isinstance(pid, str) and pid else "python"),
            pid=pid_of(pid),
            host=host_of(phases),
            rank=rank if pid == main else None,
            world=world if pid == main else None,
            attributes=_facts(phases),
        )
        for pid in dict.fromkeys(phases.pids)
    }


def rank_of(phases: KinetoPhases) -> tuple[int | None, int | None]:
    """Return the rank of a trace, and how many there are."""
    told = phases.trace.distributed
    rank, world = (None, None) if told is None else (whole(told.rank), whole(told.world_size))
    named = _RANK.search(os.path.basename(phases.name))
    return (int(named[1]) if rank is None and named else rank), world


def host_of(phases: KinetoPhases) -> str:
    """Return the host of a trace, empty if it is not known."""
    if phases.trace.host:
        return str(phases.trace.host)
    found = _HOST.fullmatch(os.path.basename(phases.name))
    return found["host"] if found and int(found["pid"]) in phases.pids else ""


def _names(phases: KinetoPhases) -> dict[Scalar, str]:
    named = [event for event in phases.trace.events if event.ph == "M" and event.name == "process_name"]
    return {label(event.pid): str(event.args.name) for event in named if event.args and event.args.name}


def _facts(phases: KinetoPhases) -> str:
    """Return what is known of a trace as a whole, as JSON: its file, what its times count from, its GPUs."""
    used = set(phases.devices.tolist())
    gpus = {str(gpu.id): gpu.name for gpu in phases.trace.gpus or () if whole(gpu.id) in used}
    known = {"file": phases.name, "base_ns": phases.trace.base_ns, "gpus": gpus}
    return msgspec.json.encode({name: fact for name, fact in known.items() if fact}).decode()
