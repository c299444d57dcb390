"""A recording from within a program: an agent of its own, started beside it, watches this process.

The agent is a fresh interpreter and no child of the program, so that neither its threads nor its memory
are copied and no ``os.wait`` of the program's meets it. Totals are the differences of what the kernel says
of this process and its reaped children; children that outlive the block are in the samples only.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from shutil import rmtree

from longpole.log.slots import (
    EXIT_BYTES,
    EXIT_BYTES_LAYOUT,
    EXIT_TIMES,
    EXIT_TIMES_LAYOUT,
    FINISH,
    FINISH_LAYOUT,
)
from longpole.record.assignment import ALL_WELL, Ending
from longpole.record.client.phases import RINGS_VARIABLE, start_recording
from longpole.record.client.ring import create_ring
from longpole.record.hooked import DETAIL_VARIABLE, PATH_VARIABLE, with_hooks
from longpole.record.hooks.applying import install, uninstall
from longpole.record.json_text import json_text
from longpole.record.link import AgentLink
from longpole.record.proc import read_io
from longpole.record.rundir import (
    RUN_VARIABLE,
    create_rings_folder,
    create_run_folder,
    find_runs_folder,
    remove_rings_folder,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LAST_WORD_LIMIT_S = 20.0
_SLOTS = 1024
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    " from longpole.record.detached import main; main(sys.argv[2])"
)

_VARIABLES = (RUN_VARIABLE, RINGS_VARIABLE, PATH_VARIABLE, DETAIL_VARIABLE)

_links: list[AgentLink] = []


class Session:
    """One recording from within; without an agent it does nothing."""

    def __init__(self, path: str, rings: str, link: AgentLink | None, detail: str = "auto") -> None:
        """Begin counting, and looking into the frameworks of this process."""
        self.path = path
        self._rings = rings
        self._link = link
        self._pid = os.getpid()
        self._before = _usage()
        self._began_ns = time.monotonic_ns()
        self._environment = {name: os.environ.get(name) for name in _VARIABLES}
        self._watch: Any = None
        if link is not None:
            _links.append(link)
            os.environ.update(_with_hooks({**os.environ, RUN_VARIABLE: path, RINGS_VARIABLE: rings}, detail))
            start_recording(rings)
            self._watch = install(rings)

    def finish(self, failed: bool) -> None:  # noqa: FBT001
        """End the recording and put the run away; a forked child leaves that to its parent."""
        if self._link is None or os.getpid() != self._pid:
            return
        ended_ns = time.monotonic_ns()
        uninstall(self._watch)
        start_recording("")
        self._restore_environment()
        status = 256 if failed else 0
        self._write_totals(ended_ns, status)
        _links.remove(self._link)
        answer = self._link.finish(Ending(status, 0, self._began_ns, ended_ns), _LAST_WORD_LIMIT_S)
        remove_rings_folder(self._rings)
        if answer != ALL_WELL:
            say(f"the recording in {self.path} is incomplete: {_in_words(answer, self.path)}")

    def _restore_environment(self) -> None:
        for name, value in self._environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def _write_totals(self, ended_ns: int, status: int) -> None:
        used = [max(0, after - before) for after, before in zip(_usage(), self._before, strict=True)]
        times = (self._began_ns, ended_ns)
        try:
            ring = create_ring(self._rings, slots=_SLOTS)
        except OSError as error:
            say(f"the totals of {self.path} are missing: no room in /dev/shm ({error.strerror})")
            return
        ring.once('{"role": "session"}')
        ring.slot(EXIT_TIMES_LAYOUT, EXIT_TIMES, 1, 0, os.getpid(), *times, used[0], used[1], status, 0, 0)
        ring.slot(EXIT_BYTES_LAYOUT, EXIT_BYTES, 0, 0, os.getpid(), *times, *used[2:])
        ring.slot(FINISH_LAYOUT, FINISH, 0, 0, os.getpid(), *times, status, b"")
        ring.close()


def start_session(name: str, runs: str, detail: str = "auto") -> Session:
    """Start recording this process; what fails is said on standard error, and nothing is recorded."""
    where, made = runs or "the folder of runs", []
    try:
        where = find_runs_folder(runs)
        made.append(create_run_folder(where, name or "python"))
        made.append(create_rings_folder(made[0]))
        link = _start_agent(made[0], made[1], name or "python")
    except Exception as error:  # noqa: BLE001  whatever it is, the program must run on
        for folder in made:
            rmtree(folder, ignore_errors=True)
        say(f"nothing is recorded in {where}: {getattr(error, 'strerror', None) or error}")
        return Session("", "", None)
    return Session(made[0], made[1], link, detail)


def _with_hooks(environment: dict[str, str], detail: str) -> dict[str, str]:
    with_hooks(environment, detail)
    return {name: environment[name] for name in _VARIABLES}


def _start_agent(path: str, rings: str, name: str) -> AgentLink:
    control_end, control = os.pipe()
    answer, answer_end = os.pipe()
    facts = {"path": path, "rings": rings, "name": name, "folder": os.getcwd(), "command": sys.orig_argv}
    request = json_text({**facts, "pid": os.getpid(), "control": control_end, "answer": answer_end})
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    keep = [(os.POSIX_SPAWN_DUP2, number, number) for number in (control_end, answer_end)]
    command = [sys.executable, "-I", "-c", _START, root, request]
    pid = os.posix_spawn(sys.executable, command, dict(os.environ), file_actions=keep)
    os.close(control_end)
    os.close(answer_end)
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        pass  # the program lets its children be reaped by others
    return AgentLink(0, control, answer)


def _usage() -> tuple[int, ...]:
    """Return CPU time in microseconds and bytes of this process and its reaped children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    user, system = sum(usage.ru_utime for usage in usages), sum(usage.ru_stime for usage in usages)
    return (round(user * 1e6), round(system * 1e6), *(read_io("self") or (0, 0, 0, 0)))


def _in_words(answer: bytes, path: str) -> str:
    if answer.startswith(b"{"):
        from longpole.record.losses import describe_losses

        return "; ".join(describe_losses(json.loads(answer), path))
    return answer.decode("utf-8", "replace") or "its agent has ended early"


def say(text: str) -> None:
    """Say one line where the program's own errors go, if there is such a place."""
    try:
        sys.stderr.write(f"longpole: {text}\n")
    except Exception:  # noqa: BLE001  a program may have put anything in its place
        pass


def _after_fork() -> None:
    """A forked child must not hold the pipe whose closing tells the agent that its parent has ended."""
    for link in _links:
        link.abandon()
    _links.clear()


os.register_at_fork(after_in_child=_after_fork)
