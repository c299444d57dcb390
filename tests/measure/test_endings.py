from __future__ import annotations

import os
import signal
import threading

import pytest

from longpole.measure.endings import orderly_endings

ENDING = [signal.SIGTERM, signal.SIGHUP]


@pytest.fixture
def heard():
    """Signals that come to whoever listened before us."""
    numbers = []
    before = {number: signal.signal(number, lambda got, _: numbers.append(got)) for number in ENDING}
    yield numbers
    for number, was in before.items():
        signal.signal(number, was)


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_ends_what_is_within_and_later_ones_go_where_they_went(heard, number):
    with pytest.raises(SystemExit) as ended, orderly_endings():
        os.kill(os.getpid(), number)

    os.kill(os.getpid(), number)
    assert (ended.value.code, heard) == (128 + number, [number])


def test_a_second_signal_does_not_break_off_the_end(heard):
    done = []

    def end():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            for number in ENDING:
                os.kill(os.getpid(), number)
            done.append("removed")

    with pytest.raises(SystemExit) as ended, orderly_endings():
        end()

    assert (ended.value.code, done, heard) == (143, ["removed"], [])


def test_what_was_ignored_stays_ignored(heard):
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with orderly_endings():
        os.kill(os.getpid(), signal.SIGHUP)

    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_another_thread_has_no_signals_to_change(heard):
    seen = []

    def look():
        with orderly_endings():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]
