"""What processes said about their own recording."""

from __future__ import annotations

import pytest

from longpole.log import slots
from longpole.model.recording import DetailChoice, HookFailure
from tests.builders import OFFSET, HandmadeRun, ms


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


@pytest.fixture
def log(run):
    with run.log() as log:
        for number in (1, 2):
            log.process(number, start=number)
            log.ring(number + 1, number, tag=f"a{number}", hello={"rank": number, "world": 2})
        yield log
        log.flush()


def ranks(run: HandmadeRun) -> list[tuple[object, object]]:
    return [(row["rank"], row["world"]) for row in run.open().table("processes").records()]


def test_hooks_that_gave_up_are_counted_by_process(run, log):
    for source in (2, 3, 2):
        log.remark(source, about="hook", hook="torch", why="AttributeError: x")
    log.remark(3, about="hook", hook="torch", why="KeyError: y")
    log.flush()

    assert run.open().recording.hooks_given_up == (
        HookFailure("torch", "AttributeError: x", 2),
        HookFailure("torch", "KeyError: y", 1),
    )


def test_the_last_choice_of_a_process_and_kind_is_kept_and_how_many_there_were(run, log):
    log.remark(3, 30, about="detail", kind="step", detail="auto", every=1, step_ns=900, cost_ns=9)
    log.remark(2, 50, about="detail", kind="step", detail="auto", every=50, step_ns=100, cost_ns=8)
    log.remark(2, 40, about="detail", kind="step", detail="auto", every=1, step_ns=800, cost_ns=9)
    log.remark(2, 60, about="detail", kind="inference", detail="auto", every=2, step_ns=7, cost_ns=6)
    log.flush()

    assert run.open().recording.details == (
        DetailChoice(1, "inference", "auto", 2, 7, 6),
        DetailChoice(1, "step", "auto", 50, 100, 8, choices=2),
        DetailChoice(2, "step", "auto", 1, 900, 9),
    )


def test_a_rank_that_becomes_known_later_replaces_the_first(run, log):
    log.remark(3, about="rank", rank=5, world=8)
    log.flush()

    assert ranks(run) == [(1, 2), (5, 8)]


def test_a_ring_that_says_nothing_of_ranks_takes_none_away(run, log):
    log.ring(4, 2, tag="b", hello={"role": "session"})
    log.flush()

    assert ranks(run) == [(1, 2), (2, 2)]


def test_a_remark_in_two_logs_is_one(run, log):
    log.remark(2, about="detail", kind="step", every=2)
    log.flush()
    with run.log(bare=True) as other:
        other.note("clock", at=ms(10), offset=OFFSET)
        other.ring(5, 1, tag="a1")
        other.remark(5, about="detail", kind="step", every=2)

    [choice] = run.open().recording.details

    assert (choice.every, choice.choices) == (2, 1)


def test_a_remark_of_an_unknown_process_is_kept(run):
    with run.log() as log:
        log.remark(9, about="hook", hook="torch", why="x")
        log.remark(9, about="detail", kind="step", every=3)

    notes = run.open().recording

    assert notes.hooks_given_up == (HookFailure("torch", "x", 1),)
    assert [(choice.process, choice.every) for choice in notes.details] == [(None, 3)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 5000,
        "null",
        "[1]",
        '{"about": 5}',
        '{"about": "later", "x": 1}',
        '{"about": "hook"}',
        '{"about": "hook", "hook": 7}',
        '{"about": "detail", "kind": "step", "every": -1}',
        '{"about": "detail", "kind": "step", "step_ns": 1e300}',
        '{"about": "rank", "rank": "x"}',
        '{"about": "rank", "rank": 4294967296}',
        '{"about": "hook", "hook": "\\ud800"}',
    ],
)
def test_a_remark_that_is_not_understood_is_passed_over(run, log, text):
    number = log.text(2, text)
    log.slot(2, slots.REMARK_LAYOUT.pack(slots.REMARK, 0, 0, number, -5, b"", 1))
    log.slot(2, slots.REMARK_LAYOUT.pack(slots.REMARK, 0, 0, 999, 1 << 62, b"", 2))
    log.flush()

    notes = run.open().recording

    assert (notes.hooks_given_up, notes.details) == ((), ())
    assert ranks(run) == [(1, 2), (2, 2)]


def test_failures_without_end_are_cut(run, log):
    for number in range(150):
        log.remark(2, about="hook", hook="torch", why=str(number))
    log.flush()

    assert len(run.open().recording.hooks_given_up) == 100
