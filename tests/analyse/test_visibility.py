from __future__ import annotations

from dataclasses import replace

import pytest

from longpole.analyse.memory import MemoryPeak
from longpole.analyse.steps import Counting
from longpole.analyse.visibility import Witness, limits, unseen
from longpole.model.manifest import State
from longpole.model.recording import DetailChoice, HookFailure, Reading, RecordingNotes
from tests.analyse.evidence import recorded

SOUND = Witness(
    manifest=recorded(0.1, rate_hz=10.0),
    state=State.FINISHED,
    notes=RecordingNotes(logs=1, ended=True, exit_records=True),
    reading=Reading(10, 10),
    memory=MemoryPeak(100, 1, 1),
)


def noted(**facts):
    return replace(SOUND, notes=replace(SOUND.notes, **facts))


def told(**facts):
    return replace(SOUND, manifest=recorded(0.1, **facts))


def test_of_a_sound_run_only_mapped_memory_is_unseen():
    (only,) = unseen(SOUND)

    assert "mmap" in only


@pytest.mark.parametrize(
    ("witness", "sentence"),
    [
        (noted(exit_records=False, forks=203), "at most 203 processes"),
        (noted(exit_records=False), "an unknown number"),
        (noted(exits_overrun=True), "some are only in the totals"),
        (noted(without_ring=1), "Phases of 1 process are missing"),
        (noted(lost_in_rings=1200), "1,200 phases came faster"),
        (noted(unreadable=2), "Bytes of 2 processes"),
        (noted(notes_left_out=3), "3 notes"),
        (noted(opens_overrun=True), "opened faster"),
        (noted(faults=("gpu: NVMLError: gone",)), "A part of the recorder stopped: Gpu: NVMLError: gone."),
        (noted(ended=False), "no last word"),
        (noted(unreached_total=2), "2 Pythons could not be looked into"),
        (noted(hooks_given_up=(HookFailure("torch", "OSError"),)), "The hook for torch gave up in 1 process"),
        (told(left_behind=2), "2 processes still ran"),
        (told(troubles=("the agent was killed by signal 9",)), "The agent was killed by signal 9."),
        (replace(SOUND, state=State.BROKEN), "broken off"),
    ],
)
def test_what_was_missed_is_said_with_its_number(witness, sentence):
    assert sentence in " ".join(unseen(witness))


def test_what_missed_processes_used_is_the_difference():
    witness = replace(
        noted(exit_records=False, forks=20), processes=8, missing_cpu_s=1.25, missing_read_bytes=13_107_200
    )

    text = " ".join(unseen(witness))
    assert "at most 12 processes" in text
    assert "1.25 s of CPU and 13.1 MB read are of no process listed." in text


def test_no_process_was_missed_if_the_host_started_no_other():
    assert unseen(replace(noted(exit_records=False, forks=5), processes=5)) == unseen(SOUND)


def test_what_the_launcher_said_is_not_said_twice():
    witness = replace(
        told(troubles=("phases of 3 processes were not recorded",)), notes=noted(without_ring=3).notes
    )

    assert len([one for one in unseen(witness) if "hases of 3" in one]) == 1


@pytest.mark.parametrize(
    ("witness", "sentence"),
    [
        (replace(SOUND, state=State.RUNNING), "still going"),
        (replace(SOUND, reading=Reading(1204, 1210)), "1,204 of 1,210 records readable"),
        (
            replace(SOUND, reading=Reading(5, 5, ("a file is foreign.",))),
            "A file is foreign.",
        ),
        (replace(SOUND, cut_phases=2), "2 phases had not ended"),
        (replace(SOUND, stolen_percent=3.4), "took 3 % of its CPU"),
        (noted(summed_up=7), "7 phases are kept as histograms"),
        (noted(details=(DetailChoice(1, "step", "auto", 45, 900_000, 8),)), "1 of 45 is noted in full"),
        (replace(SOUND, steps=Counting(1, 5)), "p50 and p95"),
        (replace(SOUND, memory=MemoryPeak(1, 3, 3)), "PSS: a page"),
        (replace(SOUND, memory=MemoryPeak(1, 3, 2)), "PSS for 2 of 3 processes"),
        (replace(SOUND, memory=MemoryPeak(1, 3, 0)), "Memory is RSS"),
        (replace(SOUND, memory=MemoryPeak(1, 0, 0)), "largest process alone"),
        (replace(SOUND, phases=1), "counts in both"),
        (SOUND, "pipes and sockets"),
        (SOUND, "10 times a second"),
        (SOUND, "1 KiB"),
    ],
)
def test_limits_say_what_the_numbers_do_not(witness, sentence):
    assert sentence in " ".join(limits(witness))


def test_every_remark_is_a_sentence():
    everything = noted(exit_records=False, forks=9, lost_in_rings=1, unreadable=1, faults=("x",))

    for sentence in (*unseen(everything), *limits(everything)):
        assert sentence[0].isupper() or sentence[0].isdigit()
        assert sentence.endswith(".")
        assert not sentence.endswith("..")


def test_of_a_run_that_was_only_told_nothing_is_said_that_a_recording_would():
    witness = replace(SOUND, notes=RecordingNotes(told_by=("Slurm accounting",), gaps=("It lacks the end.",)))

    assert unseen(witness) == ("It lacks the end.",)
    assert limits(witness) == ("All of this is as told by Slurm accounting.",)


def test_what_others_could_not_tell_of_a_recorded_run_is_said_too():
    assert "It lacks the end." in unseen(noted(told_by=("Snakemake",), gaps=("It lacks the end.",)))
