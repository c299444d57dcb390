"""Capacity and lines: never more than there is, and nobody waits for ever."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.model.workflow import Resources
from longpole.run.capacity import Capacity, Lines, Waiting

NEEDS = st.builds(
    Resources,
    cores=st.integers(1, 4),
    memory_bytes=st.sampled_from((None, 1, 50, 100)),
    gpus=st.integers(0, 2),
)


@given(st.lists(NEEDS, max_size=60), st.data())
def test_no_more_is_given_than_there_is_and_everybody_comes(waiting, data):
    capacity, lines = Capacity(4, 100, 2), Lines()
    for number, needs in enumerate(waiting):
        lines.add(number, needs)
    running: list[int] = []
    came: list[int] = []
    while len(lines) or running:
        new = list(lines.admit(capacity))
        running += new
        came += new
        assert capacity.cores >= 0
        assert capacity.gpus >= 0
        assert capacity.memory_bytes is not None
        assert capacity.memory_bytes >= 0
        ended = running.pop(data.draw(st.integers(0, len(running) - 1)))
        capacity.give_back(waiting[ended])
    assert sorted(came) == list(range(len(waiting)))
    assert (capacity.cores, capacity.memory_bytes, capacity.gpus, capacity.others) == (4, 100, 2, 0)


def test_small_jobs_do_not_keep_a_large_one_waiting_for_ever():
    capacity, lines = Capacity(4, None, 0), Lines()
    small, large = Resources(), Resources(cores=4)
    lines.add(0, small)
    running = list(lines.admit(capacity))
    lines.add(1, large)
    for number in range(2, 1000):  # there is always another small one
        lines.add(number, small)
        running += lines.admit(capacity)
        if 1 in running:
            break
        running.pop(0)
        capacity.give_back(small)

    assert 1 in running
    assert number < 200


def test_memory_that_nobody_counts_never_runs_out():
    assert Capacity(1, None, 0).fits(Resources(memory_bytes=1 << 60))


def test_tasks_that_can_wait_are_taken_ahead_only_among_themselves():
    one, two = Waiting(), Resources(cores=2)
    capacity = Capacity(2, None, 0, ahead=3)
    taken = 0
    while capacity.fits(one):
        capacity.take(one)
        taken += 1
    beside = Capacity(3, None, 0, ahead=3)
    beside.take(two)
    beside.take(one)

    assert taken == 5
    assert not capacity.fits(two)
    assert not beside.fits(one)


def test_a_task_of_one_core_that_cannot_wait_is_never_taken_ahead():
    capacity = Capacity(2, None, 0, ahead=3)
    capacity.take(Resources())
    capacity.take(Resources())

    assert not capacity.fits(Resources())
    assert not capacity.fits(Waiting())
