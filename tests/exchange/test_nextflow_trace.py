"""Moments of one try: completed by durations, and never against each other."""

from __future__ import annotations

from hypothesis import given, strategies

from longpole.exchange.nextflow_trace import Times, columns_of, settled

moments = strategies.none() | strategies.integers(0, 1 << 40)


def test_end_follows_from_submission_and_duration() -> None:
    assert settled(100, 120, None, 50, None) == Times(100, 120, 150)


def test_submission_follows_from_end_and_duration() -> None:
    assert settled(None, 120, 150, 50, None) == Times(100, 120, 150)


def test_end_follows_from_start_and_realtime_where_nothing_else_is_known() -> None:
    assert settled(None, 120, None, None, 30) == Times(None, 120, 150)


def test_start_that_is_told_is_not_guessed() -> None:
    assert settled(100, 110, 150, 50, 20) == Times(100, 110, 150)


def test_execution_that_seems_longer_than_the_whole_begins_with_it() -> None:
    assert settled(100, None, 150, None, 60) == Times(100, 100, 150, guessed=True)


def test_end_before_its_begin_is_not_known() -> None:
    assert settled(100, 120, 90, None, None) == Times(100, 120, None, contradict=True)


def test_start_before_submission_is_not_known() -> None:
    assert settled(100, 90, 150, None, None) == Times(100, None, 150, contradict=True)


@given(moments, moments, moments, moments, moments)
def test_moments_are_in_order_whatever_is_told(
    submit: int | None, start: int | None, end: int | None, took: int | None, ran: int | None
) -> None:
    found = settled(submit, start, end, took, ran)

    known = [one for one in (found.submit_ns, found.start_ns, found.end_ns) if one is not None]
    assert known == sorted(known)


def test_header_of_a_trace_is_known_by_two_of_its_columns() -> None:
    assert columns_of("status\tname\n") == ["status", "name"]
    assert columns_of("\ufefftask_id\thash\r\n1\t2") == ["task_id", "hash"]
    assert not columns_of("s\th:m:s\tmax_rss\n")
    assert not columns_of("name\tage\n")
    assert not columns_of("native_id\tstatus\n")
