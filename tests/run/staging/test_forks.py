"""Work in several processes comes to the same as work in one."""

from __future__ import annotations

import os
import signal
import threading

from longpole.run.staging.forks import cores, on_each


def test_answers_come_in_the_order_of_the_parts() -> None:
    answers = on_each(lambda part: f"{part} {os.getpid()}".encode(), ["a", "b", "c"])

    words = [answer.decode().split() for answer in answers]
    assert [word for word, _ in words] == ["a", "b", "c"]
    assert len({pid for _, pid in words}) == 3


def test_the_part_of_a_process_that_dies_is_done_here() -> None:
    here = os.getpid()

    def work(part: str) -> bytes:
        if os.getpid() != here and part == "b":
            os.kill(os.getpid(), signal.SIGKILL)
        return part.encode()

    assert on_each(work, ["a", "b", "c"]) == [b"a", b"b", b"c"]


def test_what_has_threads_does_not_fork() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert cores() == 1
    finally:
        done.set()
        thread.join()
