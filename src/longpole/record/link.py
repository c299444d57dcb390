"""Between launcher and agent: fork one, tell it how the command ended, and take its last word."""

from __future__ import annotations

import os
import select
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from longpole.record.assignment import Assignment, Ending
    from longpole.record.node import Node

_FAILED = 70


class AgentLink:
    """The launcher's end: a pipe whose closing means the end, and one for the agent's last word."""

    def __init__(self, pid: int, control: int, answer: int) -> None:
        """Take the ends that the fork left with us."""
        self.pid = pid
        self._control = control
        self._answer = answer

    def finish(self, ending: Ending, limit_s: float) -> bytes:
        """Tell the agent how it ended; return its last word, or nothing if it gave none in time."""
        if not self._answers(0.0):  # whoever has answered already is gone, and writing would raise SIGPIPE
            try:
                os.write(self._control, ending.encode())
            except OSError:
                pass  # it has gone just now; reading its answer will tell
        os.close(self._control)
        answer = os.read(self._answer, 65536) if self._answers(limit_s) else b""
        os.close(self._answer)
        return answer

    def abandon(self) -> None:
        """Let the agent go without a word: there was nothing to record."""
        os.close(self._control)
        os.close(self._answer)

    def _answers(self, limit_s: float) -> bool:
        """Wait for a word of the agent, or its end; ``poll`` takes descriptors of any number."""
        waiting = select.poll()
        waiting.register(self._answer, select.POLLIN)
        return bool(waiting.poll(limit_s * 1000))


def fork_agent(assignment: Assignment) -> AgentLink:
    """Start the agent as a fork of this process: no second interpreter has to start.

    Raises:
        OSError: No more processes may be started.
    """
    control_end, control = os.pipe()
    answer, answer_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        be_agent(assignment, control_end, answer_end)
    os.close(control_end)
    os.close(answer_end)
    return AgentLink(pid, control, answer)


def be_agent(assignment: Assignment, control: int, answer: int) -> NoReturn:
    """Turn this process into an agent that holds nothing else of the user's."""
    code = _FAILED
    try:
        os.setsid()
        kept = {control, answer, assignment.opens}
        if assignment.exit_records is not None:
            kept.add(assignment.exit_records.fileno())
        let_go_of_files(kept)
        offer_to_memory_killer()
        from longpole.record.agent import serve  # here, so that the launcher need not wait for it

        os.write(answer, serve(assignment, control))
        code = 0
    except BaseException as error:  # noqa: BLE001  whatever happens in here must not run the launcher's code
        os.write(answer, f"failed: {type(error).__name__}: {error}".encode("utf-8", "replace"))
    finally:
        os._exit(code)


def fork_joint_agent(node: Node, assignment: Assignment, lock: int) -> int:
    """Start the agent of a joint run on this node, which holds its lock from here on; return its pid.

    Raises:
        OSError: No more processes may be started.
    """
    try:
        pid = os.fork()
    except OSError:
        os.close(lock)
        raise
    if pid == 0:
        _be_joint_agent(node, assignment, lock)
    os.close(lock)
    return pid


def _be_joint_agent(node: Node, assignment: Assignment, lock: int) -> NoReturn:
    code = _FAILED
    try:
        os.setsid()
        pipe = node.open_pipe()
        kept = {lock, pipe, assignment.opens}
        if assignment.exit_records is not None:
            kept.add(assignment.exit_records.fileno())
        let_go_of_files(kept)
        offer_to_memory_killer()
        from longpole.record.joint_agent import serve_all

        serve_all(node, assignment, pipe)
        node.leave()
        code = 0
    except OSError as error:
        node.say_trouble(f"cannot write into {assignment.run_path} ({error.strerror or error})")
    except BaseException as error:  # noqa: BLE001  whatever happens in here must not run the launcher's code
        node.say_trouble(f"the agent failed: {type(error).__name__}: {error}")
    finally:
        os._exit(code)


def let_go_of_files(kept: set[int]) -> None:
    """Hold no stream or folder of the user's: a pipe of theirs must end when the command ends."""
    os.chdir("/")
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:
                pass  # the descriptor of the listing itself
    for wanted in (0, 1, 2):
        if wanted not in kept:
            null = os.open(os.devnull, os.O_RDWR)
            if null != wanted:
                os.dup2(null, wanted)
                os.close(null)
    sys.stdin = sys.stdout = sys.stderr = None


def offer_to_memory_killer() -> None:
    """When memory runs out, let the recorder be ended before the workload."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("800")
    except OSError:
        pass  # not permitted in this container
