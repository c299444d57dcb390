from __future__ import annotations

import socket
from contextlib import suppress

import pytest

from longpole.measure import sink as module
from longpole.measure.sink import COUNT, GREETING, Sink


@pytest.fixture
def client(monkeypatch):
    """A function that connects to a sink with one place."""
    monkeypatch.setattr(module, "_MOST_CLIENTS", 1)
    with Sink("127.0.0.1", 0) as sink:
        yield lambda: socket.create_connection(sink.address, timeout=5)


def answer(connection, size):
    """Return what comes, as far as it comes."""
    got = b""
    with suppress(ConnectionError):
        while len(got) < size and (more := connection.recv(size - len(got))):
            got += more
    return got


def test_who_sends_for_too_long_is_sent_away_and_leaves_a_place(client, monkeypatch):
    monkeypatch.setattr(module, "_LONGEST_S", 0.0)
    with client() as slow:
        assert answer(slow, len(GREETING)) == GREETING
        slow.sendall(b"x")

        assert answer(slow, COUNT.size) == b""

    monkeypatch.setattr(module, "_LONGEST_S", 60.0)
    greeted = b""
    while not greeted:  # the place is free a moment after the connection is closed
        with client() as next_one:
            greeted = answer(next_one, len(GREETING))
    assert greeted == GREETING
