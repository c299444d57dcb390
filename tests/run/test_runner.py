"""The runner: random workflows, run by an engine that is only thought of, and cases worked by hand."""

from __future__ import annotations

from zlib import crc32

from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from longpole.model.plan import Clustering, Grouping
from longpole.model.workflow import NamedSet, Resources, Retry, WorkflowError
from longpole.run.gathering import Gathering
from longpole.run.messages import Auxiliary, Verdict
from longpole.run.policy import Known
from tests.plan.described import task, tiles, values, workflow
from tests.run.simulated import Machine, Simulation
from tests.run.workflows import clusterings, workflows

# Without shrinking: what a simulation says is short, and a failing one takes its time.
FAST = settings(max_examples=200, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
BY_LABEL, WHOLE = Clustering(Grouping.LABEL), Clustering(Grouping.WHOLE)


def simulated(described, machine: Machine, seed: int = 0, **more) -> Simulation:
    """Return a simulation, unless the workflow is refused from the start."""
    try:
        return Simulation(described, machine, seed, **more)
    except WorkflowError:
        assume(False)
        raise


def failing(*names: str, times: int = 1000, verdict: Verdict = Verdict.FAILED):
    """Return a fate by which some tasks fail so often, and then go well."""
    return lambda name, time: verdict if name in names and time <= times else Verdict.OK


def chancy(seed: int, share: float):
    """Return a fate by which anything may fail, each time anew."""
    verdicts = (Verdict.FAILED, Verdict.OUT_OF_MEMORY, Verdict.TIMED_OUT)

    def fate(name: str, time: int) -> Verdict:
        chance = crc32(f"{seed} {name} {time}".encode())
        auxiliary = name in set(Auxiliary)
        return Verdict.OK if auxiliary or chance % 1000 >= 1000 * share else verdicts[chance % 3]

    return fate


def members(seed: int):
    """Return how many files a task makes of an open pattern: none, one or some."""
    return lambda name: crc32(f"{seed} {name}".encode()) % 4


# -------------------------------------------------------------------------------- properties


@given(workflows(), clusterings(), st.integers(0, 1 << 30))
@FAST
def test_when_nothing_fails_everything_is_done_once(described, clustering, seed):
    machine = Machine(gpus=1, clustering=clustering, many=members(seed))
    simulation = simulated(described, machine, seed).run()
    assume(not simulation.runner.refused)

    assert simulation.runner.well
    assert simulation.committed == set(range(len(simulation.expansion.tasks)))
    assert set(simulation.executed.values()) <= {1}
    check_assists(simulation)


@given(workflows(), clusterings(), st.integers(0, 1 << 30), st.booleans())
@FAST
def test_whatever_fails_it_comes_to_an_end_and_tries_no_more_often_than_allowed(
    described, clustering, seed, keep_going
):
    machine = Machine(
        gpus=1, clustering=clustering, many=members(seed), keep_going=keep_going, fate=chancy(seed, 0.3)
    )
    simulation = simulated(described, machine, seed).run()

    for each in simulation.expansion.tasks:
        assert simulation.executed[each.name] <= 1 + each.template.retry.times
    every = len(simulation.committed) == len(simulation.expansion.tasks)
    assert simulation.runner.well == (every and not simulation.expansion.unexpanded)
    assert simulation.assists[-1] == (Auxiliary.CLEANUP, 0)
    assert len(simulation.assists) == len(set(simulation.assists))


@given(workflows(), clusterings(), st.integers(0, 1 << 30), st.integers(0, 60))
@FAST
def test_after_a_stop_nothing_new_begins_and_it_ends(described, clustering, seed, moment):
    machine = Machine(gpus=1, clustering=clustering, many=members(seed), fate=chancy(seed, 0.1))
    simulation = simulated(described, machine, seed).run(stop_after=moment)

    if simulation.runner.stopped:
        assert not simulation.runner.well
    assert simulation.assists[-1] == (Auxiliary.CLEANUP, 0)


@given(workflows(labels=False), st.integers(0, 1 << 30))
@FAST
def test_keeping_going_exactly_what_depends_on_a_failure_does_not_run(described, seed):
    machine = Machine(gpus=1, many=members(seed), keep_going=True, fate=chancy(seed, 0.2))
    simulation = simulated(described, machine, seed).run()
    assume(not simulation.runner.refused)
    failed = {simulation.runner.graph.jobs[number].tasks[0] for number in simulation.runner.failures}

    lost = set(failed)
    for number in range(len(simulation.expansion.tasks)):
        if lost.intersection(simulation.expansion.dependencies(number)):
            lost.add(number)
    assert simulation.committed == set(range(len(simulation.expansion.tasks))) - lost
    skipped = simulation.runner.skipped
    assert {simulation.runner.graph.jobs[number].tasks[0] for number in skipped} == lost - failed
    unknown = {simulation.expansion.tasks[number].template.name for number in lost}
    for name in simulation.expansion.unexpanded:
        makers = {
            maker
            for each in simulation.expansion.sets_of(name)
            if described.sets[each].made
            for maker in simulation.expansion.makers_of_set(each)
        }
        before = {*makers, *simulation.expansion.before[name]}
        assert before & (unknown | set(simulation.expansion.unexpanded))
    check_assists(simulation)


def check_assists(simulation: Simulation) -> None:
    """Check that create_dir was first, cleanup last, and each level was put away once."""
    levels = sorted(set(simulation.policy.levels.values()))
    kinds = simulation.assists
    assert kinds[0] == (Auxiliary.CREATE_DIR, 0)
    assert kinds[-1] == (Auxiliary.CLEANUP, 0)
    for kind in (Auxiliary.STAGE_OUT, Auxiliary.REGISTER):
        assert sorted(level for each, level in kinds if each is kind) == levels
    assert len(kinds) == 2 + 2 * len(levels)


# -------------------------------------------------------------------------------- by hand


def test_a_set_of_no_members_one_and_many_is_run():
    for count in (0, 1, 500):
        simulation = Simulation(tiles(), Machine(many=dict.fromkeys(["cut"], count).__getitem__)).run()

        assert simulation.runner.well
        assert len(simulation.committed) == 2 + count


def test_without_keeping_going_nothing_begins_after_a_failure():
    described = workflow(
        values("a", "1", "2", "3"), task("bad", [], ["x"]), task("more", [], ["m/{a}"], for_each=(("a",),))
    )
    simulation = Simulation(described, Machine(cores=1, fate=failing("bad"))).run()

    assert not simulation.runner.well
    assert not simulation.committed
    assert simulation.executed == {"bad": 1}


def test_keeping_going_the_other_branch_is_done_and_put_away():
    described = workflow(
        NamedSet("x", made="xs/{x}"),
        task("bad", [], ["xs/{x}"]),
        task("each", ["xs/{x}"], ["ys/{x}"], for_each=(("x",),)),
        task("good", [], ["good"]),
        task("after", ["good"], ["after"]),
    )
    simulation = Simulation(described, Machine(fate=failing("bad"), keep_going=True)).run()

    assert simulation.done == {"good", "after"}
    assert (Auxiliary.STAGE_OUT, 2) in simulation.assists  # though 'each', of the same level, never came up


def test_what_comes_up_later_and_needs_what_has_failed_is_skipped():
    described = workflow(
        NamedSet("x", made="xs/{x}"),
        task("bad", [], ["b"]),
        task("makes", [], ["xs/{x}"]),
        task("each", ["xs/{x}", "b"], ["ys/{x}"], for_each=(("x",),)),
        task("last", ["ys/{x}"], ["z"]),
    )
    fate = failing("bad")
    simulation = Simulation(described, Machine(cores=1, fate=fate, keep_going=True)).run()

    assert simulation.done == {"makes"}
    skipped = {simulation.runner.graph.jobs[number].tasks[0] for number in simulation.runner.skipped}
    assert simulation.names(skipped) == {"each x=m0", "each x=m1", "last"}


def test_a_task_is_tried_again_with_more_memory_up_to_what_there_is():
    needs, retry = Resources(memory_bytes=300), Retry(3, 2.0)
    described = workflow(task("large", [], ["x"], resources=needs, retry=retry))
    seen: list[int | None] = []

    def fate(name: str, time: int) -> Verdict:
        if name != "large":
            return Verdict.OK
        seen.append(simulation.runner.graph.jobs[0].memory_for(0))
        return Verdict.OUT_OF_MEMORY if time < 4 else Verdict.OK

    simulation = Simulation(described, Machine(memory=1000))
    simulation.machine.fate = fate
    simulation.run()

    assert simulation.runner.well
    assert seen == [300, 600, 1000, 1000]


def test_within_a_cluster_a_task_gets_more_memory_and_the_others_less_room():
    needs, retry = Resources(memory_bytes=400), Retry(1, 2.0)
    described = workflow(
        values("a", "1", "2", "3"),
        task("large", [], ["x/{a}"], for_each=(("a",),), resources=needs, retry=retry),
    )
    machine = Machine(cores=4, memory=1000, clustering=WHOLE)
    machine.fate = failing("large a=1", times=1, verdict=Verdict.OUT_OF_MEMORY)

    simulation = Simulation(described, machine).run()

    assert simulation.runner.well
    assert simulation.executed == {"large a=1": 2, "large a=2": 1, "large a=3": 1}


def test_a_cluster_that_cannot_be_opened_is_opened_again_and_one_that_cannot_be_closed_fails():
    described = workflow(task("one", [], ["x"], retry=Retry(1)), task("two", ["x"], ["y"]))

    opened = Simulation(described, Machine(clustering=WHOLE, fate=failing("open whole", times=1))).run()
    closed = Simulation(described, Machine(clustering=WHOLE, fate=failing("close whole"))).run()

    assert opened.runner.well
    assert opened.opened["whole"] == 2
    assert list(closed.runner.failures.values()) == ["broken"]
    assert closed.executed == {"one": 1, "two": 1}


def test_a_cluster_waits_until_what_its_later_tasks_need_is_there():
    described = workflow(
        NamedSet("x", made="xs/{x}"),
        task("early", [], ["e"], cluster="c"),
        task("tells", [], ["xs/{x}"]),
        task("late", ["xs/{x}", "e"], ["l/{x}"], for_each=(("x",),), cluster="c"),
    )
    simulation = Simulation(described, Machine(cores=1, clustering=BY_LABEL)).run()

    assert simulation.runner.well
    assert simulation.opened == {"c": 1}


def test_a_cluster_whose_later_tasks_can_never_come_does_not_begin():
    described = workflow(
        NamedSet("x", made="xs/{x}"),
        task("early", [], ["e"], cluster="c"),
        task("tells", [], ["xs/{x}"]),
        task("late", ["xs/{x}", "e"], ["l/{x}"], for_each=(("x",),), cluster="c"),
    )
    machine = Machine(clustering=BY_LABEL, keep_going=True, fate=failing("tells"))

    assert Simulation(described, machine).run().executed == {"tells": 1}


def test_a_cluster_begins_when_what_it_waits_for_turns_out_to_be_nothing():
    described = workflow(
        values("image"),
        NamedSet("tile", made="tiles/{image}/{tile}"),
        task("early", [], ["e"], cluster="c"),
        task("cut", [], ["tiles/{image}/{tile}"], for_each=(("image",),)),
        task("look", ["tiles/{image}/{tile}"], ["l/{image}/{tile}"], for_each=(("image",), ("tile",))),
        task(
            "late", ["l/{image}/{tile}"], ["z/{image}/{tile}"], for_each=(("image",), ("tile",)), cluster="c"
        ),
    )
    simulation = Simulation(described, Machine(clustering=BY_LABEL)).run()

    assert simulation.executed == {"early": 1}
    assert simulation.runner.well


def test_a_run_that_has_left_a_job_undone_did_not_go_well(monkeypatch):
    monkeypatch.setattr(Gathering, "may_begin", lambda *_: False)
    simulation = Simulation(workflow(task("one")), Machine(clustering=WHOLE)).run()

    assert not simulation.runner.failures
    assert not simulation.runner.well


def test_tasks_that_come_too_late_for_a_cluster_are_one_of_their_own():
    described = workflow(
        values("image", "a", "b"),
        NamedSet("tile", made="tiles/{image}/{tile}"),
        task("cut", [], ["tiles/{image}/{tile}"], for_each=(("image",),), cluster="of-{image}"),
        task(
            "score",
            ["tiles/{image}/{tile}"],
            ["scores/{image}/{tile}"],
            for_each=(("image",), ("tile",)),
            cluster="of-{image}",
        ),
    )
    simulation = Simulation(described, Machine(clustering=BY_LABEL)).run()

    assert simulation.runner.well
    assert len(simulation.committed) == 2 + 4
    assert sorted(simulation.opened) == ["of-a", "of-a (2)", "of-b"]


def test_a_long_chain_of_what_was_made_before_is_taken():
    count = 3000
    chain = [task(f"t{at}", [f"f{at - 1}"] if at else [], [f"f{at}"]) for at in range(count)]
    simulation = Simulation(workflow(*chain), Machine(), known=lambda job: [Known()]).run()

    assert simulation.runner.well
    assert len(simulation.runner.reused) == count
    assert not simulation.executed


def test_a_cluster_of_a_set_that_became_known_within_is_taken_whole():
    made = Simulation(tiles(), Machine(clustering=WHOLE)).run().runner.made

    def known(job):
        return [Known(made[number]) for number in job.tasks]

    again = Simulation(tiles(), Machine(clustering=WHOLE), known=known).run()

    assert again.runner.well
    assert again.runner.made == made


def test_sets_that_fall_out_of_step_end_the_run_and_not_the_program():
    described = workflow(
        NamedSet("x", made="xs/{x}"),
        NamedSet("y", made="ys/{y}"),
        task("tells", [], ["xs/{x}", "ys/{y}"]),
        task("odd", [], ["zs/{z}"]),
        NamedSet("z", made="zs/{z}"),
        task("pairs", ["xs/{x}", "zs/{z}"], ["p/{x}"], for_each=(("x", "z"),)),
    )
    simulation = Simulation(described, Machine(many=lambda name: 1 if name == "odd" else 2)).run()

    assert not simulation.runner.well
    assert "same number of members" in simulation.runner.refused
    assert simulation.done == {"tells", "odd"}


def test_folders_that_cannot_be_made_end_it_before_it_begins():
    simulation = Simulation(tiles(), Machine(fate=failing("create_dir"))).run()

    assert simulation.assists == [(Auxiliary.CREATE_DIR, 0), (Auxiliary.CLEANUP, 0)]
    assert not simulation.executed


def test_a_task_of_a_cluster_that_fails_stops_the_others():
    described = workflow(
        values("a", "1", "2"), task("t", [], ["x/{a}"], for_each=(("a",),)), task("z", ["x/{a}"], ["z"])
    )
    machine = Machine(clustering=WHOLE, fate=failing("t a=1"))
    simulation = Simulation(described, machine, seed=3).run()

    assert list(simulation.runner.failures) == [0]
    assert not simulation.committed
    assert simulation.executed["z"] == 0
