"""What phases are called."""

from __future__ import annotations

from longpole.analyse.labels import labels_of, with_programs
from longpole.model.columns import Columns, integers, texts
from tests.analyse.planted import Planted


def said(run: Planted, tasks: dict[int, str | None]) -> list[str]:
    tree = run.tree()
    labels = labels_of(tree, Columns({"id": integers(list(tasks)), "type": texts(list(tasks.values()))}))
    return [labels.of(place) for place in range(len(tree))]


def test_phases_of_a_task_are_called_by_its_type_and_others_by_their_name():
    run = Planted(9.0)
    job = run.phase("job", "align 7", 0.0, 4.0, task=7)
    run.phase("queue", "waiting", 0.0, 1.0, parent=job, task=7)
    run.phase("step", "step", 1.0, 2.0, parent=job, task=7)
    run.phase("exec", "nobody's", 4.0, 5.0)

    assert said(run, {5: "sort", 7: "align"}) == ["run", "align", "align", "step", "nobody's"]


def test_task_without_a_type_or_that_is_not_there_leaves_the_name():
    run = Planted(9.0)
    for task in (1, 2, 3):
        run.phase("exec", f"task {task}", 0.0, 4.0, task=task)

    assert said(run, {1: None, 2: ""}) == ["run", "task 1", "task 2", "task 3"]


def test_steps_that_a_profiler_numbers_are_called_the_same():
    run = Planted(9.0)
    for number in (5, 6):
        run.phase("step", f"ProfilerStep#{number}", number, number + 1)

    assert said(run, {}) == ["run", "ProfilerStep", "ProfilerStep"]


def test_names_that_no_phase_is_called_by_are_no_labels():
    run = Planted(9.0)
    for task in range(1, 5):
        run.phase("exec", f"task {task}", 0.0, 4.0, task=task)
    tasks = Columns({"id": integers([4, 3, 2, 1]), "type": texts(["b", "b", "b", "a"])})

    labels = labels_of(run.tree(), tasks)

    assert labels.words == ("run", "a", "b")
    assert labels.codes.tolist() == [0, 1, 2, 2, 2]


def test_processes_are_called_by_the_script_they_run_unless_they_named_themselves():
    run = Planted(9.0)
    for process in (1, 2, 3, 4):
        run.phase("process", "python", 0.0, 4.0, process=process)
    programs = Columns(
        {
            "process": integers([1, 2, 3]),
            "name": texts(["python", "pt_data_worker", "gzip"]),
            "command": texts(["/bin/python fit.py 1", "/bin/python fit.py 1", "gzip -k x"]),
        }
    )

    tree = with_programs(run.tree(), programs)

    assert [tree.names[at] for at in tree.name.tolist()] == [
        "run", "python fit.py", "pt_data_worker", "gzip", "python",
    ]  # fmt: skip
