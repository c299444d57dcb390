"""Comparing clocks: over real connections, with clocks that are off and drift."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longpole.record.exchange import TOKEN_BYTES, addresses, answer, compare, listen

TOKEN = b"t" * TOKEN_BYTES
AHEAD_NS = 3_700_000_000
DRIFT = 20e-6


def drifting() -> int:
    """Return what a clock shows that is 3.7 s ahead and gains 20 microseconds a second."""
    now = time.monotonic_ns()
    return now + AHEAD_NS + int(now * DRIFT)


@contextmanager
def answering(clock, token: bytes = TOKEN) -> Iterator[tuple[str, int]]:
    """Answer at an address until left."""
    server = listen()

    def serve() -> None:
        while True:
            try:
                stream, _ = server.accept()
                answer(stream, token, clock)
            except OSError:
                if server.fileno() < 0:
                    return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield "127.0.0.1", server.getsockname()[1]
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def test_a_clock_that_is_ahead_and_drifts_is_found_within_the_stated_error() -> None:
    with answering(drifting) as address:
        found = [compare(address, TOKEN) for _ in range(5)]

    for one in found:
        truth = one.at + AHEAD_NS + int(one.at * DRIFT)
        assert abs(one.theirs - truth) <= one.error
        assert one.error > 0


def test_who_does_not_know_the_token_is_told_nothing() -> None:
    with answering(drifting) as address, pytest.raises(OSError, match=r".*"):
        compare(address, b"x" * TOKEN_BYTES)


def test_nobody_there_is_an_error_and_not_a_wait() -> None:
    server = listen()
    port = server.getsockname()[1]
    server.close()

    with pytest.raises(OSError, match=r".*"):
        compare(("127.0.0.1", port), TOKEN)


def test_this_host_has_an_address() -> None:
    assert addresses()


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 10**8), st.integers(0, 10**8)), min_size=12, max_size=12),
    st.integers(-(10**12), 10**12),
)
def test_however_slow_messages_are_the_error_holds(delays, ahead) -> None:
    """Delays of both ways, however unlike, by clocks of which nothing is real."""
    now = [10**13]
    there, back = zip(*delays, strict=True)
    waits = iter([wait for pair in zip(there, back, strict=True) for wait in pair])
    ours, theirs = socket.socketpair()

    def their_clock() -> int:
        return int(now[0] + ahead)

    def our_clock() -> int:
        return now[0]

    def pump() -> None:
        with theirs:
            for _ in there:
                theirs.recv(8)
                now[0] += next(waits)
                arrived = their_clock()
                reply = arrived.to_bytes(8, "little", signed=True) * 2
                now[0] += next(waits)
                theirs.sendall(reply)

    thread = threading.Thread(target=pump)
    thread.start()
    with ours:
        from longpole.record.exchange import _ask

        found = min((_ask(ours, our_clock) for _ in there), key=lambda one: one.error)
    thread.join()

    assert abs(found.theirs - found.at - ahead) <= found.error
