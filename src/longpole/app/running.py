"""Running a workflow: a run folder, a launcher that records, and below it the driver, a process of its own.

The driver is recorded like any command. It reads the workflow itself; if that cannot be read, no run stays.
When the driver dies, the launcher is still there: it ends what was left, and says how to go on.
"""

from __future__ import annotations

import os
import sys
import time
from shutil import rmtree

from longpole.app.run_folder import take_run_folder
from longpole.errors import USAGE, DamagedRunError, UsageError
from longpole.log.slots import FINISH, FINISH_LAYOUT
from longpole.record.assignment import Ending
from longpole.record.command import find_command, start_command
from longpole.record.joint import create_joint_run
from longpole.record.kernel import become_subreaper
from longpole.record.launcher import say
from longpole.record.member import Member
from longpole.record.options import RecordOptions
from longpole.record.reaper import Reaper
from longpole.record.rundir import find_runs_folder
from longpole.record.supervise import Watch, take_signals
from longpole.run.request import Request, as_text
from longpole.run.survivors import end_survivors
from longpole.store.workflow import read_driver_logs

DRIVER_TASK = "Longpole:driver:1"
_MODULE = "longpole.app.driving"
_KILLED = 1


def begin(request: Request, name: str, runs: str, facts: tuple[str, ...]) -> int:
    """Run a workflow as a new run; return the exit code to end with.

    Raises:
        UsageError: There is no room for a run, or what it is asked for cannot be written down.
    """
    as_text(request)  # refused before there is a run
    return begin_in(create_in(find_runs_folder(runs), name), request, facts)


def create_in(folder: str, name: str, **said: object) -> str:
    """Make a new run in the folder of runs, and return its path; ``said`` is what its manifest says besides.

    Raises:
        UsageError: There is no room for a run.
    """
    try:
        return create_joint_run(folder, name, **said)
    except OSError as error:
        raise UsageError(
            f"Cannot keep a run in {folder}: {error.strerror}. Choose another folder with --runs."
        ) from error


def begin_in(path: str, request: Request, facts: tuple[str, ...]) -> int:
    """Run a workflow in the folder that was made for its run; return the exit code to end with."""
    with take_run_folder(path):
        code = _drive(path, request, facts)
    if code == USAGE and not _has_begun(path):
        rmtree(path, ignore_errors=True)  # nothing ever ran
    return code


def go_on(path: str, request: Request, facts: tuple[str, ...]) -> int:
    """Go on with a run; return the exit code to end with.

    Raises:
        UsageError: It still goes on.
    """
    with take_run_folder(path):
        return _drive(path, request, facts)


def _drive(path: str, request: Request, facts: tuple[str, ...]) -> int:
    """Start a driver, record it, and wait for its end."""
    command = [sys.executable, "-P", "-m", _MODULE, path, as_text(request), *facts]
    options = RecordOptions()
    options.join, options.task, options.name = path, DRIVER_TASK, "longpole run"
    options.linger_s = 0.0
    inherited = take_signals()
    become_subreaper()
    member = Member(command, options)
    member.count_from_now()
    member.start()
    reaper = Reaper(member.ring, member.agent_pid)
    began_ns = time.monotonic_ns()
    root = start_command(find_command(command[0]), command, member.environment(), inherited)
    watch = Watch(root, reaper)
    status = watch.until_end(member.looker(reaper))
    ended_ns = time.monotonic_ns()
    end_survivors(os.path.basename(path).rpartition("-")[2])
    left = watch.linger(options.linger_s, lambda _: None)
    if member.ring is not None:
        times = (began_ns, ended_ns)
        member.ring.slot(FINISH_LAYOUT, FINISH, 0, min(left, 65535), root, *times, status, b"")
    member.finish(reaper, Ending(status, left, began_ns, ended_ns))
    if member.troubles:
        say("; ".join(member.troubles))
    return _code(status, path)


def _has_begun(path: str) -> bool:
    """Return whether anything of a run was ever begun; what cannot be known may be worth keeping."""
    try:
        return bool(read_driver_logs(path).jobs)
    except DamagedRunError:
        return True


def _code(status: int, path: str) -> int:
    if not os.WIFSIGNALED(status):
        return os.waitstatus_to_exitcode(status)
    run = os.path.basename(path).rpartition("-")[2]
    number = os.WTERMSIG(status)
    say(f"the driver was killed by signal {number}; 'longpole run --resume {run}' goes on where it stopped")
    return _KILLED
