"""Case files: what they say, and what is said of those that cannot be or do not fit their machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.describe.cases import read_case
from longpole.errors import UsageError
from longpole.model.case import Case, Dot, Origin, Target, TaskKind, Volume
from longpole.model.machine import Machine, Peak

CLUSTER = Machine(
    "Cluster",
    100,
    node={"cpu": Peak(24), "memory": Peak(129e9)},
    system={"external": Peak(5e9, 1e9), "network": Peak(1e9, per_node=True)},
)
GPUS = Machine("GPUs", 1, node={"hbm": Peak(1e12)})
HEAD = 'name = "C"\nmachine = "cluster"\nparallel = 1\n'
TASK = '[[tasks]]\nname = "analyse"\ncount = 5\nnodes = 32\n'
WHOLE = """
name = "LCLS"
machine = "cluster"
parallel = 3
could = 5
unit = "image"
task = "one analysis"
about = "A case."
source = "analytical"
main = "bad day"
[[tasks]]
name = "analyse"
count = 5
nodes = 32
node = { memory = "32 GB" }
system = { external = { amount = "1 TB", source = "reported" }, network = { per-node = "1 TB" } }
overhead = { bash = "7 s", python = { amount = "5 s", source = "measured" } }
[[tasks]]
name = "merge"
cores = 6
after = ["analyse"]
overhead = "2 s"
[target]
makespan = "10 min"
throughput = "36 images/h"
[[measured]]
name = "good day"
makespan = "1024 s"
parallel = 2
tasks = 4
source = "reported"
seconds = { analyse = "1000 s" }
[[measured]]
name = "bad day"
contended = true
parts = { loading = "5000 s", rest = "2 min" }
[[projected]]
name = "ideal"
makespan = "3 min"
"""


def machine_of(name: str) -> Machine:
    if name != "cluster":
        raise UsageError(f"There is no machine '{name}'.")
    return CLUSTER


@pytest.fixture
def read(tmp_path):
    def from_text(text: str, machine: Machine | None = None) -> Case:
        path = tmp_path / "c.toml"
        path.write_text(text)
        return read_case(path, machine_of, machine)

    return from_text


@pytest.fixture
def complaint(read):
    def about(text: str, machine: Machine | None = None) -> str:
        with pytest.raises(UsageError) as caught:
            read(text, machine)
        return str(caught.value)

    return about


def test_a_case_is_all_that_its_file_says(read):
    assert read(WHOLE) == Case(
        name="LCLS",
        machine=CLUSTER,
        kinds=(
            TaskKind(
                name="analyse",
                count=5,
                nodes=32,
                node={"memory": Volume(32e9)},
                system={"external": Volume(1e12, Origin.REPORTED), "network": Volume(1e12, per_node=True)},
                overhead={"bash": Volume(7), "python": Volume(5, Origin.MEASURED)},
            ),
            TaskKind(name="merge", nodes=0.25, cores=6, overhead={"overhead": Volume(2)}, after=("analyse",)),
        ),
        parallel=3,
        could=5,
        unit="image",
        task="one analysis",
        target=Target(600, 0.01),
        dots=(
            Dot("good day", 1024, 2, 4, kinds={"analyse": 1000}, source="reported"),
            Dot("bad day", 5120, contended=True, parts={"loading": 5000, "rest": 120}),
            Dot("ideal", 180, projected=True, source="projected"),
        ),
        about="A case.",
        main="bad day",
    )


def test_a_case_needs_few_keys_and_its_volumes_are_then_declared(read):
    case = read(HEAD + '[[tasks]]\nname = "a"\nnode = { memory = "0 GB" }')

    assert case == Case(
        "C", CLUSTER, (TaskKind("a", node={"memory": Volume(0, Origin.DECLARED)}),), parallel=1
    )


def test_another_machine_takes_the_place_of_the_named_one(read):
    larger = Machine("Larger", 1000, node=CLUSTER.node, system=CLUSTER.system)

    case = read(WHOLE.replace('"cluster"', '"nosuch"'), larger)

    assert (case.machine, case.projected) == (larger, True)


def test_a_case_fits_no_machine_that_is_too_small_or_lacks_a_resource(complaint):
    assert complaint(WHOLE, GPUS).endswith("tasks[0].nodes: One task takes 32 nodes; 'GPUs' has 1.")
    text = HEAD + '[[tasks]]\nname = "a"\nnode = { memory = "1 GB" }'
    assert complaint(text, GPUS).endswith(
        "c.toml: tasks[0].node.memory: The machine 'GPUs' has no peak for 'memory'; there are hbm."
    )


def test_the_path_of_a_machine_is_relative_to_the_case(tmp_path):
    asked = []
    (tmp_path / "c.toml").write_text(HEAD.replace("cluster", "near/m.toml") + TASK)

    def remember(name: str) -> Machine:
        asked.append(Path(name))
        return CLUSTER

    read_case(tmp_path / "c.toml", remember)

    assert asked == [tmp_path / "near" / "m.toml"]


def test_a_machine_that_is_not_there_is_told_with_the_key(complaint):
    assert complaint(HEAD.replace("cluster", "moon") + TASK).endswith(
        "c.toml: machine: There is no machine 'moon'."
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEAD, "A case needs at least one kind of task, under [[tasks]]."),
        (HEAD + "tasks = 5", "tasks: This must be tables, each under [[tasks]], not the number 5."),
        (HEAD + "colour = 1\n" + TASK, "colour: There is no such key here; there are name, machine"),
        ('name = "C"\nmachine = "cluster"\n' + TASK, "The key 'parallel' is missing."),
        (HEAD + 'source = "guessed"\n' + TASK, "source: There is no source 'guessed'; there are reported,"),
        (HEAD + TASK + "colour = 1", "tasks[0].colour: There is no such key here"),
        (HEAD + TASK + 'node = "32 GB"', "tasks[0].node: This must be a table, not the text '32 GB'."),
        (
            HEAD + TASK + "node = { memory = 32 }",
            'tasks[0].node.memory: This must be a text with a unit, such as "32',
        ),
        (HEAD + TASK + 'node = { memory = "32" }', "tasks[0].node.memory: '32' has no unit"),
        (
            HEAD + TASK + 'node = { memory = "1 GB/s" }',
            "tasks[0].node.memory: '1 GB/s' is in bytes per second",
        ),
        (HEAD + TASK + 'node = { memroy = "1 GB" }', "tasks[0].node.memroy: There is no such key here"),
        (
            HEAD + TASK + 'node = { hbm = "1 GB" }',
            "tasks[0].node.hbm: The machine 'Cluster' has no peak for 'hbm'; there are cpu, memory.",
        ),
        (HEAD + TASK + 'system = { file-system = "1 GB" }', "'file-system'; there are network, external."),
        (
            HEAD + TASK + 'node = { memory = { source = "reported" } }',
            "node.memory: The key 'amount' is missing.",
        ),
        (
            HEAD + TASK + 'system = { network = { amount = "1 GB", per-node = "1 GB" } }',
            "tasks[0].system.network: This has both 'amount' (of the task) and 'per-node'; keep one.",
        ),
        (HEAD + TASK + "overhead = 5", 'tasks[0].overhead: This must be a text with a unit, such as "5 s"'),
        (
            HEAD + TASK + 'overhead = { bash = "1 GB" }',
            "tasks[0].overhead.bash: '1 GB' is in bytes, not in time",
        ),
        (HEAD + TASK + "cores = 4", "tasks[0]: This has both 'nodes' and 'cores'; keep one."),
        (
            HEAD + '[[tasks]]\nname = "a"\ncores = 25',
            "cores: One task takes 25 cores; a node of 'Cluster' has 24.",
        ),
        (HEAD + TASK + TASK, "tasks[1].name: There are two kinds of task 'analyse'"),
        (HEAD + TASK + 'after = "merge"', "tasks[0].after: This must be a list of texts"),
        (
            HEAD + TASK + '[[tasks]]\nname = "m"\nafter = ["analyze"]',
            "tasks[1].after: There is no kind of task 'analyze'; there are analyse, m. Did you mean",
        ),
        (HEAD + TASK + 'after = ["analyse"]', "tasks: Tasks wait for themselves: 'analyse' -> 'analyse'."),
        (HEAD + TASK + "[target]\nmakespan = 5", "target.makespan: This must be a text with a unit"),
        (HEAD + TASK + '[target]\nmakespan = "0 s"', "target.makespan: This must be above zero"),
        (
            HEAD + TASK + '[target]\nthroughput = "5 GB/s"',
            "target.throughput: '5 GB/s' is in bytes per second",
        ),
        (
            HEAD + TASK + '[target]\nthroughput = "5 epochs/s"',
            "target.throughput: This counts 'epochs', but the case counts each 'task'.",
        ),
        (HEAD + TASK + '[[measured]]\nmakespan = "1 s"', "measured[0]: The key 'name' is missing."),
        (
            HEAD + TASK + '[[measured]]\nname = "a"',
            "measured[0]: The key 'makespan' is missing, and there are no",
        ),
        (
            HEAD + TASK + '[[projected]]\nname = "a"\nmakespan = "0 s"',
            "projected[0].makespan: This must be above",
        ),
        (
            HEAD + TASK + '[[measured]]\nname = "a"\nmakespan = "1 s"\nparts = { b = "2 s" }',
            "measured[0].parts: They add up to 2 s, more than the makespan of 1 s.",
        ),
        (
            HEAD + TASK + '[[measured]]\nname = "a"\nmakespan = "1 s"\nseconds = { analyze = "2 s" }',
            "measured[0].seconds.analyze: There is no kind of task 'analyze'; there are analyse.",
        ),
        (
            HEAD
            + TASK
            + '[[measured]]\nname = "a"\nmakespan = "1 s"\n[[projected]]\nname = "a"\nmakespan = "1 s"',
            "projected[0].name: There are two dots 'a'",
        ),
        (
            HEAD + 'main = "goodday"\n' + TASK + '[[measured]]\nname = "good day"\nmakespan = "1 s"',
            "main: There is no dot 'goodday'; there are good day. Did you mean 'good day'?",
        ),
        (
            HEAD.replace("parallel = 1", "parallel = 4") + TASK,
            "parallel: 4 tasks at once do not fit: 'Cluster' holds 3 (100 nodes, and 'analyse' takes 32).",
        ),
        (
            HEAD.replace("parallel = 1", "parallel = 2") + '[[tasks]]\nname = "a"',
            "parallel: This is 2, above the number of tasks in all, which is 1.",
        ),
        (HEAD + "could = 6\n" + TASK, "could: This is 6, above the number of tasks in all, which is 5."),
        (
            HEAD.replace("parallel = 1", "parallel = 2") + "could = 1\n" + TASK,
            "could: This is 1, below 'parallel', which is 2.",
        ),
        (
            HEAD + TASK + '[[measured]]\nname = "a"\nmakespan = "1 s"\nparallel = 4',
            "measured[0].parallel: 4 tasks at once do not fit",
        ),
        (
            HEAD + TASK + '[[measured]]\nname = "a"\nmakespan = "1 s"\nparallel = 3\ntasks = 2',
            "measured[0].parallel: This is 3, above the number of tasks in all, which is 2.",
        ),
    ],
)
def test_what_cannot_be_is_told_with_its_key(complaint, text, sentence):
    told = complaint(text)

    assert sentence in told
    assert "c.toml: " in told
    assert "\n" not in told


def test_a_cycle_of_tasks_is_named(complaint):
    text = HEAD + "".join(
        f'[[tasks]]\nname = "{name}"\nafter = ["{other}"]\n' for name, other in ("ab", "bc", "ca")
    )

    told = complaint(text)

    assert "tasks: Tasks wait for themselves: " in told
    assert all(f"'{name}'" in told for name in "abc")


def test_as_many_tasks_run_at_once_as_cores_hold(read, complaint):
    text = HEAD.replace("parallel = 1", "parallel = {}") + '[[tasks]]\nname = "a"\ncount = 900\ncores = 5'

    assert read(text.format(400)).parallel == 400
    assert "'Cluster' holds 400" in complaint(text.format(401))


def test_cores_need_a_machine_that_says_how_many_a_node_has(complaint):
    assert "'GPUs' does not say how many cores a node has" in complaint(
        HEAD + '[[tasks]]\nname = "a"\ncores = 5', GPUS
    )
