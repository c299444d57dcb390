"""Warm workers: what they take is answered or known to be lost, whenever they die."""

from __future__ import annotations

import os
import signal
import time

import pytest

from longpole.run.engines.local.crew import Crew
from tests.run.staging.disks import small_tmpfs


@pytest.fixture
def crew(tmp_path):
    made = Crew(lambda _: _served, 2, str(tmp_path))
    yield made
    made.close()


def _served(request: bytes) -> bytes:
    if request.startswith(b"sleep"):
        time.sleep(60)
    return request[::-1]


def _heard(crew: Crew, count: int) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    limit = time.monotonic() + 30
    while len(found) < count and time.monotonic() < limit:
        found.update({key: answer for key, answer, _ in crew.answers()})
        time.sleep(0.001)
    return found


def test_requests_of_any_size_are_answered(crew):
    requests = {
        number: bytes([number]) * size for number, size in enumerate([0, 1, 65_536, 65_537, 3_000_000], 1)
    }
    for key, request in requests.items():
        crew.ask(key, request)

    assert _heard(crew, len(requests)) == {key: request[::-1] for key, request in requests.items()}


def test_more_requests_than_the_queue_holds_are_answered(crew):
    for key in range(1, 2001):
        crew.ask(key, b"x" * 1000)

    assert len(_heard(crew, 2000)) == 2000
    assert not len(crew)


def test_nothing_waits_behind_a_long_request_while_another_worker_is_free(crew):
    crew.ask(1, b"sleep")
    for key in range(2, 20):
        crew.ask(key, b"quick")

    assert set(_heard(crew, 18)) == set(range(2, 20))


def test_who_dies_is_known_by_what_it_was_busy_with(crew):
    crew.ask(1, b"sleep")
    while not (worker := crew.worker_of(1)):
        time.sleep(0.001)
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)

    assert crew.lost(worker) == 1
    crew.ask(2, b"ab")
    assert _heard(crew, 1) == {2: b"ba"}


def test_a_request_whose_worker_died_before_saying_so_is_asked_again(crew):
    crew.ask(1, b"sleep")
    while not (worker := crew.worker_of(1)):
        time.sleep(0.001)
    os.kill(worker, signal.SIGSTOP)
    crew._busy[:] = bytes(len(crew._busy))  # as if it had not come to say so
    crew._open[1] = crew._open[1].replace(b"sleep", b"quick")
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)

    assert crew.lost(worker) is None
    assert _heard(crew, 1) == {1: b"kciuq"}


def test_what_no_worker_has_yet_can_be_taken_back(crew, tmp_path):
    crew.ask(1, b"sleep")
    crew.ask(2, b"sleep")
    while not (crew.worker_of(1) and crew.worker_of(2)):
        time.sleep(0.001)
    crew.ask(3, b"x" * 100_000)
    crew.ask(4, b"y")

    assert crew.take(3)
    assert not crew.take(1)
    assert crew.unbegun() == {4}
    assert not list(tmp_path.iterdir())


def test_a_request_that_there_is_no_room_for_is_forgotten_and_takes_none(tmp_path):
    with small_tmpfs(tmp_path / "disk", "1m") as disk:
        crew = Crew(lambda _: _served, 1, str(disk))
        with pytest.raises(OSError, match="No space left on device"):
            crew.ask(1, bytes(3_000_000))
        left = list(disk.iterdir())
        crew.ask(2, b"ab")

        assert _heard(crew, 1) == {2: b"ba"}
        crew.close()

    assert left == []
