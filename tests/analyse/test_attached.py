from __future__ import annotations

from dataclasses import replace

import pytest

from longpole.analyse.overview import overview
from longpole.analyse.visibility import limits, unseen
from longpole.model.execution import Metric
from longpole.model.recording import RecordingNotes
from tests.analyse.evidence import SECOND, evidence, process, table
from tests.analyse.test_visibility import SOUND


def attached(count=1, **facts):
    return replace(SOUND, notes=RecordingNotes(logs=1, ended=True, attached=count, **facts))


@pytest.mark.parametrize(
    ("count", "sentence"), [(1, "a process that already ran"), (3, "3 processes that already ran")]
)
def test_what_was_before_is_said_to_be_missing_first(count, sentence):
    first, *_ = unseen(attached(count))

    assert sentence in first
    assert "exit code" in first
    assert "phases" in first


def test_totals_are_said_to_be_sampled():
    assert limits(attached())[0].startswith("Totals are sampled, and counted from the moment of attaching")


def test_of_a_command_nothing_is_said_about_attaching():
    assert not any("attach" in sentence for sentence in (*unseen(SOUND), *limits(SOUND)))


def test_phases_of_other_users_are_no_more_missing_than_all_others():
    assert not any("another user" in sentence for sentence in unseen(attached(other_users=1)))


def test_no_advice_is_given_that_would_not_help():
    text = " ".join(unseen(attached(forks=9)))

    assert "at most 9 processes" in text
    assert "doctor" not in text


def test_every_remark_is_a_sentence():
    for sentence in (*unseen(attached(2, forks=9)), *limits(attached())):
        assert sentence[0].isupper() or sentence[0].isdigit()
        assert sentence.endswith(".")
        assert not sentence.endswith("..")


def test_a_process_counts_from_the_begin_of_the_run_on():
    rows = table("processes", process(1, -100.0, None, **{Metric.CPU_USER: SECOND}), process(2, 0.5, 0.7))
    notes = RecordingNotes(logs=1, ended=True, attached=1, forks=5)

    found = overview(evidence(processes=rows, notes=notes))

    assert [use.wall_s for use in found.process_list] == [1.0, pytest.approx(0.2)]
    assert found.attached == 1
    assert any("at most 4 processes" in sentence for sentence in found.unseen)  # one of five was seen
