"""Going on with runs that are only thought of: what was committed comes back, the rest is executed."""

from __future__ import annotations

from collections.abc import Callable
from zlib import crc32

from hypothesis import assume, given
from hypothesis import strategies as st

from longpole.model.workflow import NamedSet
from longpole.run.jobs import Job
from longpole.run.policy import Known
from tests.plan.described import task, values, workflow
from tests.run.simulated import Machine, Simulation, always_well
from tests.run.test_runner import BY_LABEL, FAST, chancy, failing, members, simulated
from tests.run.workflows import clusterings, workflows


def followed(
    first: Simulation, seed: int = 0, is_there: Callable[[Job], bool] = lambda _: True
) -> Simulation:
    """Go on with a run; ``is_there`` tells of a job whether what it has made still is there."""
    before, jobs = first.runner, first.runner.graph.jobs
    there = [task for task in before.committed if is_there(jobs[before.graph.job_of[task]])]
    made = {first.expansion.tasks[number].name: number for number in there}
    labels = {name: jobs[before.graph.job_of[number]].label for name, number in made.items()}

    def earlier(number: int) -> str | None:
        return labels.get(second.expansion.tasks[number].name)

    def known(job: Job) -> list[Known] | None:
        names = [second.expansion.tasks[number].name for number in job.tasks]
        return (
            [Known(before.made.get(made[name], ())) for name in names] if labels.keys() >= {*names} else None
        )

    more = {"known": known, "earlier": earlier, "is_taken": lambda label: label in labels.values()}
    second = Simulation(first.expansion.workflow, first.machine, seed, **more)
    return second.run()


@given(workflows(), clusterings(), st.integers(0, 1 << 30))
@FAST
def test_nothing_that_was_committed_is_repeated_and_all_else_is_executed(described, clustering, seed):
    machine = Machine(gpus=1, clustering=clustering, many=members(seed), fate=chancy(seed, 0.2))
    first = simulated(described, machine, seed).run(stop_after=seed % 40)
    assume(not first.runner.refused)
    machine.fate = always_well

    second = followed(first, seed + 1)
    assume(not second.runner.refused)

    assert second.runner.well
    assert not first.done & set(second.executed)
    assert first.done | set(second.executed) == second.names(range(len(second.expansion.tasks)))


@given(workflows(), clusterings(), st.integers(0, 1 << 30), st.sampled_from([0.0, 0.2]))
@FAST
def test_what_is_lost_is_made_again_and_nothing_else(described, clustering, seed, share):
    machine = Machine(gpus=1, clustering=clustering, many=members(seed))
    first = simulated(described, machine, seed).run(stop_after=seed % 60)
    assume(not first.runner.refused)
    machine.fate, machine.keep_going = chancy(seed, share), True

    second = followed(first, seed + 1, lambda job: crc32(f"{seed} {job.number}".encode()) % 3 > 0)
    assume(not second.runner.refused)

    jobs = second.runner.graph.jobs
    reused = second.names(number for job in second.runner.reused for number in jobs[job].tasks)
    assert second.runner.well or share
    assert not reused & set(second.executed)
    assert second.done | reused == second.names(second.runner.committed)


def test_tasks_that_never_ran_do_not_join_a_cluster_that_is_committed():
    described = workflow(
        values("image", "a"),
        NamedSet("tile", made="tiles/{image}/{tile}"),
        task("cut", [], ["tiles/{image}/{tile}"], for_each=(("image",),), cluster="of-{image}"),
        task("train", [], ["model"]),
        task(
            "score",
            ["tiles/{image}/{tile}", "model"],
            ["scores/{image}/{tile}"],
            for_each=(("image",), ("tile",)),
            cluster="of-{image}",
        ),
    )
    machine = Machine(clustering=BY_LABEL, keep_going=True, fate=failing("train"))
    first = Simulation(described, machine).run()
    machine.fate = failing("score image=a tile=m1")
    second = followed(first)
    machine.fate = always_well
    third = followed(second)

    assert first.done == {"cut image=a"}
    assert second.done == {"train"}
    assert set(third.executed) == {"score image=a tile=m0", "score image=a tile=m1"}
    assert third.runner.well
    assert [job.label for job in third.runner.graph.jobs if job.label] == ["of-a", "of-a (2)"]
    assert not followed(third).executed


def test_what_is_committed_does_not_wait_for_what_it_was_made_of():
    described = workflow(
        task("early", [], ["e"], cluster="one"),
        task("late", ["e"], ["l"], cluster="two"),
        task("more", ["l"]),
    )
    machine = Machine(clustering=BY_LABEL, keep_going=True, fate=failing("more"))
    first = Simulation(described, machine).run()
    machine.fate = failing("early")

    second = followed(first, is_there=lambda job: job.label == "two")

    assert second.done == {"more"}
    assert set(second.executed) == {"early", "more"}
