"""The life of a try of a job, from the moments that DAGMan and HTCondor noted of it.

``pre`` and ``post`` are DAGMan's scripts before and after; ``queue`` is from submission, or from when it was
evicted or released, to execution; ``hold`` from when it was held; ``exec`` from execution to its end. Between
an end and the script after it lies the time until DAGMan looked again: it is in none of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longpole.model.execution import Status

_BEGINS = {
    "PRE_SCRIPT_STARTED": "pre",
    "SUBMIT": "queue",
    "EXECUTE": "exec",
    "JOB_EVICTED": "queue",
    "JOB_HELD": "hold",
    "JOB_RELEASED": "queue",
    "POST_SCRIPT_STARTED": "post",
}
_VERDICTS = {
    "PRE_SCRIPT_SUCCESS": Status.UNFINISHED,  # the job itself is still to come
    "PRE_SCRIPT_FAILED": Status.FAILED,
    "SUBMIT_FAILED": Status.FAILED,
    "JOB_SUCCESS": Status.OK,
    "JOB_FAILURE": Status.FAILED,
    "JOB_ABORTED": Status.FAILED,
    "POST_SCRIPT_SUCCESS": Status.OK,
    "POST_SCRIPT_FAILED": Status.FAILED,
}
_ENDS = {"PRE_SCRIPT_TERMINATED", "JOB_TERMINATED", "POST_SCRIPT_TERMINATED", *_VERDICTS}
_BAD_FOR_JOB = ("JOB_FAILURE", "JOB_ABORTED")
_BAD_FOR_SCRIPT = {"pre": "PRE_SCRIPT_FAILED", "post": "POST_SCRIPT_FAILED"}
# What ends an execution that did not come to its own end.
_CUT_OFF = ("JOB_EVICTED", "JOB_HELD")

Moments = Sequence[tuple[str, int | None]]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a try; an end that is not known, or before its begin, is None."""

    kind: str
    start_ns: int | None
    end_ns: int | None
    status: Status


@dataclass(frozen=True, slots=True)
class Life:
    """A try from its first moment to its last.

    Attributes:
        contradicts: A moment lies before one that comes first; it was left out.
    """

    start_ns: int | None
    end_ns: int | None
    status: Status
    parts: tuple[Part, ...]
    contradicts: bool


def life_of(moments: Moments, exit_code: int | None) -> Life:
    """Return the life of a try.

    Args:
        moments: States in their order, and when each was entered.
        exit_code: What the try ended with, where no state tells how it ended.
    """
    parts, wrong = _parts_of(moments)
    known = [at_ns for _, at_ns in moments if at_ns is not None]
    status = _status(moments, parts, exit_code)
    ended = status is not Status.UNFINISHED
    start_ns = known[0] if known else None
    end_ns = known[-1] if known and ended and known[-1] >= known[0] else None
    return Life(start_ns, end_ns, status, tuple(parts), wrong)


def _parts_of(moments: Moments) -> tuple[list[Part], bool]:
    parts: list[Part] = []
    wrong = False
    kind, since_ns = "", None
    states = {state for state, _ in moments}
    for state, at_ns in moments:
        begins = _BEGINS.get(state, "")
        if begins == kind or (not begins and state not in _ENDS):
            continue
        if kind:
            early = at_ns is not None and since_ns is not None and at_ns < since_ns
            wrong = wrong or early
            parts.append(Part(kind, since_ns, None if early else at_ns, _ended(kind, state, states)))
        kind, since_ns = begins, at_ns
    if kind:
        parts.append(Part(kind, since_ns, None, Status.UNFINISHED))
    return parts, wrong


def _ended(kind: str, state: str, states: set[str]) -> Status:
    """Return how a part ended that a state has ended."""
    bad = state in _CUT_OFF or not states.isdisjoint(_BAD_FOR_JOB)
    if kind in _BAD_FOR_SCRIPT:
        bad = _BAD_FOR_SCRIPT[kind] in states
    return Status.FAILED if bad and kind not in ("queue", "hold") else Status.OK


def _status(moments: Moments, parts: Sequence[Part], exit_code: int | None) -> Status:
    verdicts = [_VERDICTS[state] for state, _ in moments if state in _VERDICTS]
    if parts and parts[-1].status is Status.UNFINISHED:
        return Status.UNFINISHED
    if verdicts:
        return verdicts[-1]
    if exit_code is None:
        return Status.UNFINISHED
    return Status.FAILED if exit_code else Status.OK
