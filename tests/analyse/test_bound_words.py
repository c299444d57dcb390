from __future__ import annotations

from dataclasses import replace

from longpole.analyse.bound_words import bound_sentence, with_bounds
from longpole.model.bounds import Bound, Bounded, Gain, Held, How, Use, Utilisation
from tests.present.explained import FULL

IDLE = Bound("train", "phase", 1, 10.0, 9.0, (), (), (), waiting_share=1.0, unseen_share=0.0)


def bound(*held, waiting=0.0, **more):
    return replace(IDLE, held=held, waiting_share=waiting, **more)


def test_a_core_of_its_own_is_not_helped_by_more():
    assert bound_sentence(bound(Held("cores", How.OWN, 0.97))) == (
        "train was limited by its one core for 97 % of its time: more cores change nothing unless its work is"
        " spread over them, faster ones would."
    )
    assert "limited by its 4 cores" in bound_sentence(bound(Held("cores", How.OWN, 0.97, 4.0)))


def test_all_cores_say_what_more_of_them_could_take_off():
    said = bound_sentence(bound(Held("cores", How.SATURATED, 0.8), gains=(Gain("cores", 9.0),)))

    assert said == (
        "All cores were busy 80 % of the time of train: more or faster ones could take off up to 90 % of it."
    )


def test_waiting_is_said_with_what_was_busy_meanwhile():
    assert "on nothing that was seen" in bound_sentence(IDLE)
    disk = replace(IDLE, uses=(Use("disk vda", "fraction", 0.8),))
    assert "disk vda was busy 80 % of it" in bound_sentence(disk)


def test_a_wait_for_data_is_for_batches():
    assert bound_sentence(replace(IDLE, what="data", kind="data")) == (
        "data waited 100 % of its time for batches: what loads them is what to make faster."
    )


def test_what_is_little_of_everything_is_said_to_be():
    mixed = bound(Held("cores", How.SATURATED, 0.3), Held("GPU", How.SATURATED, 0.3), waiting=0.4)

    assert bound_sentence(mixed) == "No single resource bounds train for most of its time."
    assert "Too little was sampled" in bound_sentence(replace(IDLE, waiting_share=0.0, unseen_share=1.0))


def test_answers_and_limits_take_it_up():
    used = (
        Utilisation("cores", 2.0, 1.0, others=0.5, contended_share=0.25),
        Utilisation("H200 #0", 1.0, 0.4, data_wait_share=0.7),
    )
    found = with_bounds(FULL, Bounded((IDLE,), used, ("A limit.",)))

    assert found.questions.resources.startswith(FULL.questions.resources)
    assert "train waited 100 %" in found.questions.resources
    assert "Others used 0.50 of 2 cores meanwhile, 25 % of the time" in found.questions.efficiency
    assert "H200 #0 was idle 60 %; its process waited for data 70 % of that" in found.questions.efficiency
    assert (found.bounds, found.utilisation, found.limits[-1]) == ((IDLE,), used, "A limit.")


def test_phases_that_only_wait_for_their_processes_are_not_spoken_of():
    shell = bound(Held("processes that it started", How.BLOCKED, 1.0), what="sh")

    found = with_bounds(FULL, Bounded((shell,), (), ()))

    assert found.questions == FULL.questions


def test_nothing_known_changes_nothing():
    assert with_bounds(FULL, Bounded()) is FULL
