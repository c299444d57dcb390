"""The launcher: runs the command, waits for it, and ends as it ended.

It stays small on purpose: its start-up is what a user waits for. Whatever goes wrong with recording is said
in one line on standard error at the end, and the command runs on.
"""

from __future__ import annotations

import os
import time

from longpole.log.slots import FINISH, FINISH_LAYOUT
from longpole.record.assignment import Ending
from longpole.record.command import find_command, start_command
from longpole.record.kernel import become_subreaper
from longpole.record.reaper import Reaper
from longpole.record.recorder import Recorder
from longpole.record.supervise import Watch, end_as, take_signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.member import Member
    from longpole.record.options import RecordOptions


def launch(command: list[str], options: RecordOptions) -> int:
    """Run a command and record it; return its exit code, or die of the signal it died of.

    Raises:
        CannotRunError: The command cannot be started.
    """
    file = find_command(command[0])
    inherited = take_signals()
    become_subreaper()
    recorder = _recorder(command, options)
    recorder.start()
    reaper = Reaper(recorder.ring, recorder.agent_pid)
    began_ns = time.monotonic_ns()
    try:
        root = start_command(file, command, recorder.environment(), inherited)
    except BaseException:
        recorder.discard()
        raise
    watch = Watch(root, reaper)
    status = watch.until_end(recorder.looker(reaper))
    ended_ns = time.monotonic_ns()
    left = watch.linger(options.linger_s, _say_waiting)
    if recorder.ring is not None:
        recorder.ring.slot(FINISH_LAYOUT, FINISH, 0, min(left, 65535), root, began_ns, ended_ns, status, b"")
    recorder.finish(reaper, Ending(status, left, began_ns, ended_ns))
    if recorder.troubles:
        say("; ".join(recorder.troubles))
    return end_as(status)


def _recorder(command: list[str], options: RecordOptions) -> Recorder | Member:
    if not (options.into or options.join):
        return Recorder(command, options)
    from longpole.record.member import Member

    return Member(command, options)


def say(text: str) -> None:
    """Say one line on standard error, if there still is one."""
    try:
        os.write(2, f"longpole: {text}\n".encode("utf-8", "replace"))
    except OSError:
        pass  # the user has closed it


def _say_waiting(left: int) -> None:
    what = "process it left behind" if left == 1 else "processes it left behind"
    say(f"the command has ended; waiting a few seconds for {left} {what}")
