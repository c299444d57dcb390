from __future__ import annotations

import pytest

from longpole.app.overview import overview_of
from longpole.log.slots import bin_of, bin_start
from tests.builders import HandmadeRun, ms

PARTS = {"data": (0, 1), "forward": (1, 3), "backward": (3, 7), "optimizer": (7, 9)}


@pytest.fixture
def made(tmp_path):
    """A run of two ranks; what they did is written by the test."""
    run = HandmadeRun(tmp_path)
    with run.log() as log:
        log.launcher()
        for rank in (0, 1):
            log.process(rank + 1, start=0)
            log.ring(rank + 2, rank + 1, hello={"rank": rank, "world": 2})
        yield run, log


def shifted(at):
    return {part: (at + start, at + end) for part, (start, end) in PARTS.items()}


def overview(made):
    run, log = made
    log.finish(101, 0, 1000)
    log.note("ended", at=ms(1001))
    log.flush()
    with run.open() as stored:
        return overview_of(stored)


def test_steps_are_told_by_rank_with_their_parts(made):
    _, log = made
    for source, length in ((2, 10), (3, 20)):
        for at in range(4):
            log.step(source, at + 1, (100 + at * 20, 100 + at * 20 + length), shifted(100 + at * 20))

    first, second = overview(made).steps

    assert (first.rank, first.world, first.pid, first.kind, first.count) == (0, 2, 101, "training", 4)
    assert list(first.parts.values()) == pytest.approx([0.004, 0.008, 0.016, 0.008, 0.0, 0.004])
    assert (first.mean_s, first.p50_s, first.p95_s) == pytest.approx((0.01, 0.01, 0.01))
    assert (second.rank, second.count, second.total_s) == (1, 4, pytest.approx(0.08))
    assert second.other_s == pytest.approx(0.044)


def test_inference_is_told_apart_and_batches_are_no_steps(made):
    _, log = made
    log.step(2, 1, (100, 110), shifted(100))
    log.step(2, 2, (110, 115), {"data": (110, 111), "forward": (111, 114)}, kind="inference", name="Net")
    log.step(2, 3, (115, 120), {"data": (115, 118)}, kind="batch", name="batch")

    shown = overview(made)

    training, inference = shown.steps
    assert (training.kind, training.data_s) == ("training", 0.001)
    assert (inference.kind, inference.name, inference.forward_s) == ("inference", "Net", 0.003)
    shares = {(phase.kind, phase.count): phase.share for phase in shown.phases}
    assert shares["data", 1] == pytest.approx(3 / 8)
    assert shares["batch", 1] == pytest.approx(5 / 8)
    assert shares["data", 2] == shares["step", 1] == shares["forward", 2] == 0.0


def test_a_checkpoint_counts_in_the_step_it_lies_in_and_only_once(made):
    _, log = made
    log.step(2, 1, (100, 120), shifted(100))
    for identity, (times, lane) in enumerate(
        [((110, 114), 0), ((100.2, 100.8), 0), ((119, 121), 0), ((130, 140), 0), ((115, 117), 1)], start=2
    ):
        log.phase(2, identity, "save", times, kind="checkpoint", lane=lane)

    shown = overview(made)

    (steps,) = shown.steps
    assert (steps.data_s, steps.checkpoint_s, steps.other_s) == pytest.approx((0.001, 0.004, 0.007))
    (saved,) = [phase for phase in shown.phases if phase.kind == "checkpoint"]
    assert (saved.count, saved.share) == (5, 1.0)


def test_steps_that_were_counted_are_added(made):
    _, log = made
    log.step(2, 1, (100, 110), shifted(100))
    bins = [[bin_of(ms(2)), 90], [bin_of(ms(8)), 10]]
    log.sum(2, "step", 100, (110, 400), kind="step", total=260, bins=bins, origin="tally")
    log.note(
        "sum", source=2, name=0, kind=0, kind_name="step", count=1, total_ns=0, start=0, end=0, origin="owed"
    )

    shown = overview(made)

    (steps,) = shown.steps
    assert (steps.name, steps.count, steps.total_s) == ("step", 102, pytest.approx(0.27))
    assert steps.data_s == pytest.approx(0.027)
    assert bin_start(bin_of(ms(2))) <= (steps.p50_s or 0) * 1e9 <= bin_start(bin_of(ms(2)) + 1)
    assert bin_start(bin_of(ms(8))) <= (steps.p95_s or 0) * 1e9 <= bin_start(bin_of(ms(8)) + 1)
    assert any(limit.startswith("Of 102 steps 101 were only counted") for limit in shown.limits)


@pytest.fixture
def asked(made, monkeypatch):
    """What the run was asked for its overview, each with the answer; call it after the last record."""
    run, log = made

    def ask():
        log.finish(101, 0, 1000)
        log.flush()
        answers = {}
        with run.open() as stored:
            query = stored.query

            def noting(sql):
                answers[sql] = query(sql)
                return answers[sql]

            monkeypatch.setattr(stored, "query", noting)
            overview_of(stored)
        return answers

    return ask


def test_sql_and_the_log_put_steps_into_the_same_bins(made, asked):
    durations = [0, 1, 255, 256, 319, 320, 511, 512, 639, 640, 10**6, 123_456_789, 2 * 10**9]
    for identity, duration in enumerate(durations, start=1):
        made[1].step(2, identity, (100, 100 + duration / 1e6))
    made[1].sum(2, "step", 2, (110, 400), kind="step")

    (steps,) = [answer for answer in asked().values() if "what" in answer]

    found = {row["low_ns"]: row["count"] for row in steps.records() if row["what"] == "bin"}
    starts = [bin_start(bin_of(duration)) for duration in durations]
    assert found == {start: starts.count(start) for start in starts}


def test_a_run_without_steps_is_asked_no_further_question(made, asked):
    made[1].phase(2, 1, "clean", (100, 200))

    assert not [sql for sql in asked() if "quantile" in sql or "trial" in sql]


def test_all_about_steps_is_one_question(made, asked):
    made[1].step(2, 1, (100, 110), shifted(100))
    made[1].phase(2, 2, "save", (102, 103), kind="checkpoint")
    made[1].sum(2, "step", 2, (110, 400), kind="step")

    assert len([sql for sql in asked() if "quantile" in sql]) == 1


def test_steps_that_the_user_marks_are_steps_of_their_own(made):
    _, log = made
    log.step(2, 1, (100, 110), shifted(100))
    log.phase(2, 2, "mine", (100, 112), kind="step", attributes='{"bins": 3}')
    log.phase(2, 3, "read", (100, 104), kind="data", parent=2)

    hooked, mine = overview(made).steps

    assert (hooked.name, hooked.count, hooked.data_s) == ("step", 1, 0.001)
    assert (mine.name, mine.count, mine.data_s, mine.other_s) == ("mine", 1, 0.004, 0.008)


def test_trials_have_the_steps_of_their_thread(made):
    _, log = made
    log.phase(2, 1, "widths", (50, 900), kind="search")
    for number, (times, lane) in enumerate([((100, 200), 0), ((150, 300), 1), ((210, 300), 0)]):
        said = f'{{"number": {number}, "state": "complete", "value": {number}.5, "params": {{"lr": 0.1}}}}'
        facts = {"kind": "trial", "parent": 1, "lane": lane, "attributes": said}
        log.phase(2, number + 2, f"trial {number}", times, **facts)
    for identity, (at, lane) in enumerate(
        [(100, 0), (110, 0), (160, 1), (205, 0), (290, 0), (400, 0)], start=9
    ):
        log.step(2, identity, (at, at + 5), lane=lane)

    trials = overview(made).trials

    assert [(one.search, one.number, one.steps) for one in trials] == [
        *(("widths", 0, 2), ("widths", 1, 1), ("widths", 2, 1))
    ]
    assert (trials[1].value, trials[1].seconds, trials[1].params) == (1.5, 0.15, {"lr": 0.1})


def test_trials_have_the_steps_of_their_epochs_where_steps_were_counted(made):
    _, log = made
    log.sum(2, "step", 30, (100, 300), kind="step", origin="tally")
    for number in (0, 1):
        at = 100 + 100 * number
        log.phase(2, 10 + number, f"trial {number}", (at, at + 90), kind="trial")
        said = f'{{"number": 1, "steps": {10 + 10 * number}}}'
        log.phase(2, 20 + number, "epoch", (at, at + 80), kind="epoch", attributes=said)

    assert [trial.steps for trial in overview(made).trials] == [10, 20]


@pytest.mark.parametrize("said", ["", "x", "[1]", '{"number": "\\ud800", "params": {"\\ud800": "\\ud800"}}'])
def test_hostile_attributes_are_shown(made, said, capsys):
    from longpole.app.commands.show import command

    run, log = made
    log.phase(2, 1, "trial x", (100, 200), kind="trial", attributes=said)
    log.phase(2, 2, "epoch", (100, 200), kind="epoch", attributes=said)
    log.phase(2, 3, "step", (100, 200), kind="step", attributes=said)
    log.finish(101, 0, 1000)
    log.flush()

    for options in (["--json"], []):
        assert command.main([str(run.path), *options], standalone_mode=False) is None
    assert "trial" in capsys.readouterr().out
