"""Asking crews: each answer comes to who asked, whatever becomes of the workers."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest

from longpole.run.engines.local.asking import Asking
from longpole.run.engines.local.crew import Crew


@pytest.fixture
def crews(tmp_path) -> Iterator[tuple[Asking, Crew, Crew]]:
    asking = Asking()
    crews = [Crew(lambda _: _backwards, 1, str(tmp_path)), Crew(lambda _: bytes.upper, 1, str(tmp_path))]
    for crew in crews:
        asking.join(crew)
    yield asking, crews[0], crews[1]
    asking.close()


def _backwards(request: bytes) -> bytes:
    if request == b"sleep":
        time.sleep(60)
    return request[::-1]


def _until(happened: Callable[[], object], asking: Asking) -> None:
    limit = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < limit
        asking.hear(asking.descriptors)


def test_each_answer_comes_to_who_asked(crews) -> None:
    asking, backwards, upper = crews
    heard: dict[str, bytes] = {}
    for name, crew in [("one", backwards), ("two", upper), ("three", backwards)]:
        asking.ask(crew, b"abc", lambda answer, _, name=name: heard.update({name: answer}))

    _until(lambda: len(heard) == 3, asking)

    assert heard == {"one": b"cba", "two": b"ABC", "three": b"cba"}


def test_who_asked_a_worker_that_dies_hears_nothing_from_it_and_the_next_is_answered(crews) -> None:
    asking, backwards, _ = crews
    heard: list[tuple[bytes, int]] = []
    key = asking.ask(backwards, b"sleep", lambda *answer: heard.append(answer))
    asking.ask(backwards, b"abc", lambda *answer: heard.append(answer))
    _until(lambda: asking.worker_of(key), asking)
    worker = asking.worker_of(key)

    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
    asking.lost(worker)
    _until(lambda: len(heard) == 2, asking)

    assert heard[0] == (b"", worker)
    assert heard[1][0] == b"cba"


def test_what_is_taken_back_is_never_heard_of_and_what_a_worker_has_cannot_be(crews) -> None:
    asking, backwards, _ = crews
    heard: list[bytes] = []
    begun = asking.ask(backwards, b"sleep", lambda answer, _: heard.append(answer))
    _until(lambda: asking.worker_of(begun), asking)
    waiting = asking.ask(backwards, b"abc", lambda answer, _: heard.append(answer))

    assert asking.take_back(waiting)
    assert not asking.take_back(begun)
    worker = asking.worker_of(begun)
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
    asking.lost(worker)
    assert heard == [b""]


def test_a_request_that_cannot_be_made_is_nobodys(tmp_path) -> None:
    asking = Asking()
    crew = Crew(lambda _: _backwards, 1, str(tmp_path / "nowhere"))
    asking.join(crew)

    with pytest.raises(FileNotFoundError):
        asking.ask(crew, b"too large for a socket" * 10_000, lambda *_: None)

    assert not len(crew)
    asking.close()
