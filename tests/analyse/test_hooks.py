from __future__ import annotations

from longpole.analyse.hooks import detail_limits, hooks_missing
from longpole.analyse.steps import Counting
from longpole.model.recording import DetailChoice, HookFailure, RecordingNotes, UnreachedPython


def choice(kind="step", every=45, step_ns=900_000, detail="auto"):
    return DetailChoice(1, kind, detail, every, step_ns, 8_000)


def test_nothing_is_said_where_nothing_is_missing():
    assert list(hooks_missing(RecordingNotes())) == []
    assert list(detail_limits((choice(every=1),), Counting())) == []


def test_pythons_that_were_not_reached_are_named():
    notes = RecordingNotes(unreached=(UnreachedPython("python -I job.py", 2),), unreached_total=2)

    assert list(hooks_missing(notes)) == [
        "2 Pythons could not be looked into (python -I, -E or a cleaned environment): python -I job.py."
    ]


def test_commands_that_are_not_named_are_counted():
    some = tuple(UnreachedPython(f"python -E {at}.py {'x' * 200}", 9 - at) for at in range(5))

    (only,) = hooks_missing(RecordingNotes(unreached=some, unreached_total=100))

    assert only.startswith("100 Pythons could not")
    assert only.endswith(", and 76 more.")
    assert len(only) < 350


def test_pythons_without_a_command_are_counted():
    (only,) = hooks_missing(RecordingNotes(unreached_total=1))

    assert only.startswith("1 Python could not be looked into")


def test_hooks_that_gave_up_say_why():
    notes = RecordingNotes(hooks_given_up=(HookFailure("torch", "AttributeError: no\nsuch thing.", 1),))

    assert list(hooks_missing(notes)) == [
        "The hook for torch gave up in 1 process: AttributeError: no such thing."
    ]


def test_what_the_budget_chose_is_said_with_the_way_to_change_it():
    (only,) = detail_limits((choice(),), Counting())

    assert only.startswith("Training steps took 900 us: 1 of 45 is noted in full, the others are counted;")
    assert only.endswith("; --detail high notes all.")


def test_choices_of_many_processes_are_one_sentence_for_each_kind():
    choices = (choice(), choice(every=52, step_ns=1_100_000), choice("batch", 2000, 10_000, "low"))

    training, batches = detail_limits(choices, Counting())

    assert "took 900 us to 1.1 ms: 1 of 45 to 52 is" in training
    assert (
        batches
        == "Batches took 10 us: 1 of 2,000 is noted in full, the others are counted, as --detail low asks."
    )


def test_steps_that_were_only_counted_are_said_to_be():
    (known,) = detail_limits((), Counting(1_000, 12_000))
    (guessed,) = detail_limits((), Counting(1_000, 12_000, 11_000))

    assert known.startswith("Of 13,000 steps 12,000 were only counted: p50 and p95")
    assert guessed == f"{known[:-1]}; their parts are taken to be as in the 1,000 noted in full."


def test_steps_noted_lightly_are_said_to_be():
    lightly = DetailChoice(1, "step", "auto", 16, 5_800_000, 40_000, light=True)

    chosen, meaning = detail_limits((lightly,), Counting(1_000, 0, 0, 900))

    assert chosen == (
        "Training steps took 5.8 ms: 1 of 16 is noted in full, the others with their wait for data; "
        "--detail high notes all."
    )
    assert meaning.startswith("Of 1,000 steps noted one by one, 900 have no part but the wait for data: ")
