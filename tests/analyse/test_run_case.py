"""From a run to a case for a roofline."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.roofline import roofline
from longpole.analyse.run_case import Projection, case_of
from longpole.analyse.run_tables import HostSums, RunTables
from longpole.model.case import Case, Origin
from longpole.model.machine import Machine, Overhead, Peak
from tests.analyse.run_tables import S, earlier, mark, process, samples, tables, task

GB = 1e9
HERE = Machine(
    "here",
    1,
    {
        "cpu": Peak(2.0),
        "memory": Peak(10 * GB),
        "flops": Peak(100 * GB),
        "gpu": Peak(2.0),
        "disk-read": Peak(GB),
        "disk-write": Peak(GB),
        "cached-read": Peak(5 * GB),
    },
    overheads={"interpreter": Overhead(0.1)},
)


def of(run: RunTables, machine: Machine = HERE) -> Case:
    return case_of(run, Projection(machine))


def shell(*others, took_s: float = 10.0, **given) -> RunTables:
    first = process(1, 0, took_s, name="sh", command="sh flow.sh", cpu_s=0.0)
    return tables(took_s, processes=[first, *others], **given)


def test_volumes_are_means_over_the_tasks_of_a_kind():
    run = shell(
        process(2, 0, 4, cpu_s=4.0, storage_read=1e9, read=3e9),
        process(3, 4, 10, cpu_s=2.0, storage_read=3e9, read=3e9),
        moved=HostSums(read=4e9, disks=True, covered_s=10),
    )

    [kind] = of(run).kinds

    assert (kind.count, kind.seconds, kind.cores, kind.nodes) == (2, 5.0, 1.0, 0.5)
    assert {name: one.amount for name, one in kind.node.items()} == {
        "cpu": 3.0,
        "disk-read": 2e9,
        "cached-read": 1e9,
    }
    assert {one.origin for one in kind.node.values()} == {Origin.MEASURED}


def test_what_is_not_known_of_a_task_counts_as_none():
    jobs = [task(1, "a", 0, 1, cpu_s=2.0, storage_read=1e9), task(2, "a", 1, 3)]

    case = of(tables(4, tasks=jobs))

    [kind] = case.kinds
    assert (kind.node["cpu"].amount, kind.node["disk-read"].amount, kind.cores) == (1.0, 5e8, 2.0)
    assert "The CPU time of 1 of 2 tasks is not known: it counts as none." in case.unknown


def test_bytes_that_no_disk_moved_while_the_run_went_on_do_not_count():
    run = shell(
        process(2, 0, 5, storage_written=6e9),
        process(3, 5, 10, storage_written=2e9),
        moved=HostSums(written=4e9, disks=True, covered_s=10),
    )

    case = of(run)

    assert [kind.node["disk-write"].amount for kind in case.kinds] == [2e9]
    assert any("reached a disk" in word for word in case.unknown)


def test_bytes_of_a_file_server_are_of_the_file_system():
    both = [process(2, 0, 5, storage_read=2e9), process(3, 5, 10, storage_read=2e9)]
    moved = HostSums(read=1e9, nfs_read=3e9, disks=True, covered_s=10)

    [kind] = of(shell(*both, moved=moved)).kinds

    assert (kind.node["disk-read"].amount, kind.system["file-system"].amount) == (0.5e9, 1.5e9)


def test_start_of_interpreters_and_imports_are_overhead_and_no_work():
    python = {"name": "python", "command": "python x.py"}
    run = shell(
        process(2, 0, 4, cpu_s=4.0, up_s=0.5, **python),
        process(3, 4, 8, cpu_s=4.0, up_s=0.5, **python),
        imports=[
            {"process": at, "start_ns": begin * S, "end_ns": (begin + 1) * S}
            for at, begin in ((2, 0), (3, 5))
        ],
    )

    [kind] = of(run).kinds

    assert kind.overhead["interpreter"].amount == pytest.approx((1.0 + 1.5) / 2)
    assert kind.node["cpu"].amount == pytest.approx((3.0 + 2.5) / 2)


def test_start_of_interpreters_that_no_one_told_is_as_measured():
    pythons = [process(at, at, at + 2, name="python", command=f"python {at}.py") for at in (2, 4)]

    case = of(shell(*pythons))

    assert [kind.overhead["interpreter"].amount for kind in case.kinds] == pytest.approx([0.1, 0.1])
    assert any("for 2 of them" in word for word in case.unknown)


def test_dispatch_is_what_no_task_took():
    run = shell(*(process(at, at, at + 0.5, name="true", command="true") for at in range(2, 6)))

    [kind] = of(run).kinds

    assert kind.overhead["dispatch"].amount == pytest.approx(8 / 4)


def test_makespan_is_without_the_queue():
    queues = [{"start_ns": 0, "end_ns": 5 * S}, {"start_ns": 7 * S, "end_ns": 9 * S}]
    run = tables(12, tasks=[task(1, "a", 5, 2), task(2, "a", 9, 3)], queues=queues)

    case = of(run)

    assert case.queue_s == 7.0
    assert [dot.makespan_s for dot in case.dots] == [5.0]


def test_makespan_has_attempts_that_failed():
    jobs = [task(1, "a", 100, 10), task(2, "b", 110, 10)]
    run = tables(120, tasks=jobs, earlier=[earlier(1, 0, 100)])

    case = of(run)

    assert [dot.makespan_s for dot in case.dots] == [120.0]
    assert not any("dispatch" in kind.overhead for kind in case.kinds)
    assert any("1 failed attempt took 100 s" in word for word in case.unknown)


def test_a_queue_while_an_attempt_runs_that_fails_is_no_wait():
    queues = [{"start_ns": 0, "end_ns": 6 * S}, {"start_ns": 8 * S, "end_ns": 9 * S}]
    jobs = [task(1, "a", 9, 2), task(2, "a", 11, 1)]

    case = of(tables(12, tasks=jobs, earlier=[earlier(1, 2, 6)], queues=queues))

    assert (case.queue_s, case.dots[0].makespan_s) == (3.0, 9.0)


def test_dispatch_is_of_the_kind_that_waited():
    maps = [task(at, "map", 1, 1) for at in range(1, 11)]
    jobs = [*maps, task(11, "merge", 2, 0.1)]
    edges = [{"from_task": at, "to_task": 11} for at in range(1, 11)]

    case = of(tables(2.1, cores=10, tasks=jobs, edges=edges, earlier=[earlier(1, 0, 0.5)]))

    assert {kind.name: "dispatch" in kind.overhead for kind in case.kinds} == {"map": True, "merge": False}


def test_each_dot_counts_its_own_tasks():
    assert [dot.tasks for dot in of(shell(process(2, 0, 4), process(3, 4, 8))).dots] == [2]


def test_tasks_that_nobody_timed_count_by_the_makespan_that_was_told():
    jobs = [task(1, "a", 0, 10), *(task(at, "a", None, 10) for at in range(2, 6))]

    case = of(tables(10, tasks=jobs, told_s=49.5))

    assert [dot.makespan_s for dot in case.dots] == [49.5]
    assert all(one.workflow_seconds <= 49.5 for one in roofline(case).ceilings)
    assert any("When 4 of 5 tasks ran is not known" in word for word in case.unknown)


@pytest.mark.parametrize("told_s", [None, 9.0])
def test_tasks_that_nobody_timed_make_no_dot_without_a_makespan_that_covers_the_others(told_s):
    jobs = [task(1, "a", 0, 10), *(task(at, "a", None, 10) for at in range(2, 6))]

    case = of(tables(10, tasks=jobs, told_s=told_s))

    assert case.dots == ()
    assert any("there is no dot" in word for word in case.unknown)


def test_a_peak_of_each_node_counts_all_nodes_that_a_run_had():
    network = Peak(10.0, contended=5.0, per_node=True)
    four = replace(HERE, nodes=4, system={"network": network})

    run = tables(2, tasks=[task(1, "a", 0, 2)], hosts=4)

    found = of(run, four).machine.system["network"]
    assert (found.nominal, found.contended, found.per_node) == (40.0, 20.0, False)
    assert of(run, replace(four, nodes=1)).machine.system["network"] is network


@pytest.mark.parametrize(("said", "count"), [(1.0, 4.0), (8.0, 8.0)])
def test_cores_that_a_run_had_count_where_the_file_of_its_machine_says_fewer(said, count):
    machine = replace(HERE, node={"cpu": Peak(said)})
    run = tables(2, cores=4, tasks=[task(1, "a", 0, 2, cpu_s=8.0)])

    case = of(run, machine)

    assert case.machine.cores == count
    told = f"The machine file says {said:g} core{'s' if said > 1 else ''}, the run had 4: {count:g} count."
    assert told in case.unknown


def test_another_machine_keeps_the_cores_of_its_file():
    case = case_of(tables(2, cores=4, tasks=[task(1, "a", 0, 2)]), Projection(HERE, projected=True))

    assert (case.machine.cores, [word for word in case.unknown if "machine file" in word]) == (2.0, [])


def test_as_many_tasks_fit_as_ran_at_once():
    four = replace(HERE, nodes=4)
    jobs = [task(at, "a", 0, 2, cpu_s=2.0) for at in range(1, 7)]

    found = roofline(of(tables(2, tasks=jobs, hosts=4), four))

    assert found.wall.parallel >= found.parallel == 6


def test_marks_whose_parents_form_a_circle_are_counted():
    circle = [
        mark(1, "a", 0, 4, lane=1, parent=2, flops=5),
        mark(2, "b", 4, 8, lane=2, parent=1, flops=7),
    ]

    case = of(marked(*circle))

    assert sum(kind.count for kind in case.kinds) >= 1


def test_cpu_time_that_was_sampled_is_said_to_be():
    both = process(2, 0, 4, cpu_s=1.0), process(3, 4, 8, cpu_s=1.0)

    told, silent = (of(shell(*both, sampled=count)).unknown for count in (2, 0))

    assert any("2 processes is sampled" in word for word in told)
    assert not any("is sampled" in word for word in silent)


def test_kinds_come_after_those_they_depend_on():
    jobs = [task(1, "map", 0, 2), task(2, "map", 0, 2), task(3, "merge", 2, 1)]
    edges = [{"from_task": 1, "to_task": 3}, {"from_task": 2, "to_task": 3}]

    case = of(tables(3, tasks=jobs, edges=edges))

    assert {kind.name: kind.after for kind in case.kinds} == {"map": (), "merge": ("map",)}
    assert (case.parallel, case.could, case.levels, case.path_s) == (2, 2, 2, 3.0)


def test_tasks_of_several_nodes_take_these():
    jobs = [task(1, "mpi", 0, 4, resources={"nodes": 3, "cpus": 6}, cpu_s=8.0)]

    [kind] = of(tables(4, tasks=jobs)).kinds

    assert (kind.nodes, kind.cores) == (3, 2.0)


def test_more_tasks_than_cores_share_the_node():
    run = shell(*(process(at, 0, 10, cpu_s=5.0) for at in range(2, 6)))

    case = of(run)

    assert (case.parallel, case.kinds[0].nodes) == (4, 0.25)


def test_without_times_as_many_ran_at_once_as_the_work_needs():
    jobs = [task(at, "a", None, 10) for at in range(6)]

    case = of(tables(0, tasks=jobs, told_s=20.0))

    assert (case.parallel, [dot.makespan_s for dot in case.dots]) == (3, [20.0])
    assert any("When tasks ran is not known" in word for word in case.unknown)


def test_without_any_time_there_is_no_dot():
    assert of(tables(0, tasks=[task(1, "a", None, 0)])).dots == ()


def test_gpu_time_is_shared_among_tasks_that_ran():
    busy = [{"start_ns": 0, "end_ns": 10 * S, "value": 0.5} for _ in range(2)]

    [kind] = of(shell(process(2, 0, 8), process(3, 0, 8), gpus=busy)).kinds

    assert kind.node["gpu"].amount == pytest.approx(4.0)


def test_cpu_time_does_not_count_while_a_gpu_is_busy_and_a_task_holds_a_whole_gpu():
    busy = [{"start_ns": 0, "end_ns": 10 * S, "value": 0.9}]
    one_gpu = replace(HERE, node={**HERE.node, "cpu": Peak(16.0), "gpu": Peak(1.0)})

    case = of(tables(10, processes=[process(1, 0, 10, cpu_s=10.0)], gpus=busy), one_gpu)

    [kind] = case.kinds
    assert kind.node["cpu"].amount == pytest.approx(1.0, abs=0.2)
    assert kind.nodes == 1.0
    assert any("a GPU is busy" in word for word in case.unknown)


def marked(*marks, **given) -> RunTables:
    first = process(1, 0, 10, cpu_s=10.0)
    return tables(10, processes=[first], marks=marks, used=samples((1, 0, 10, 1.0)), **given)


def test_marks_have_the_cpu_time_that_their_process_used_meanwhile():
    case = of(marked(mark(1, "a", 0, 6), mark(2, "b", 6, 9)))

    assert {kind.name: kind.node["cpu"].amount for kind in case.kinds} == pytest.approx({"a": 6.0, "b": 3.0})


def test_declared_work_is_summed_but_not_twice():
    case = of(
        marked(
            mark(1, "a", 0, 8, flops=100),
            mark(2, "in", 1, 2, flops=40, disk_read_bytes="2 GB"),
            mark(3, "in", 2, 3, disk_read_bytes=1e9),
        )
    )

    [kind] = case.kinds

    assert (kind.node["flops"].amount, kind.node["disk-read"].amount) == (100.0, 3e9)
    assert kind.node["flops"].origin is Origin.DECLARED


@pytest.mark.parametrize("said", ["much", True, -1, None, float("inf"), [1]])
def test_what_is_no_amount_is_passed_over(said):
    [kind] = of(marked(mark(1, "a", 0, 8, flops=said))).kinds

    assert "flops" not in kind.node


def test_cpu_time_that_declared_traffic_explains_is_left_out():
    case = of(marked(mark(1, "a", 0, 8, memory_bytes=60e9)))

    assert list(case.kinds[0].node) == ["memory"]
    assert any("is left out" in word for word in case.unknown)


def test_cpu_time_that_it_does_not_explain_stays():
    case = of(marked(mark(1, "a", 0, 8, memory_bytes=10e9)))

    assert set(case.kinds[0].node) == {"cpu", "memory"}


def test_cpu_time_without_memory_traffic_is_remarked_upon():
    assert any("waiting for memory" in word for word in of(marked(mark(1, "a", 0, 8))).unknown)


def test_parts_sum_to_the_makespan():
    case = of(shell(process(2, 0, 4), process(3, 4, 8), parts={"work": 6.0, "queue": 2.0, "idle": 2.0}))

    assert case.dots[0].parts == pytest.approx({"work": 7.5, "idle": 2.5})


@given(
    st.lists(
        st.tuples(st.floats(0, 9), st.floats(0.3, 5), st.floats(0, 1), st.floats(0, 0.2)),
        min_size=2,
        max_size=12,
    )
)
def test_no_dot_lies_above_a_ceiling(rows):
    took_s = max(start + took for start, took, _, _ in rows)
    run = shell(
        *(
            process(
                at,
                start,
                start + took,
                cpu_s=took * share,
                up_s=up,
                name="python",
                command=f"python {at % 3}",
            )
            for at, (start, took, share, up) in enumerate(rows, start=2)
        ),
        took_s=took_s,
        cores=16,
    )

    case = of(run, replace(HERE, node={"cpu": Peak(16.0)}))

    least_s = max((one.workflow_seconds for one in roofline(case).ceilings), default=0.0)
    assert least_s <= case.dots[0].makespan_s * 1.06
    assert sum(kind.count for kind in case.kinds) == len(rows)
