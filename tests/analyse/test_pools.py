"""Workers of pools, and what they did."""

from __future__ import annotations

from longpole.analyse.pools import pooled
from longpole.analyse.tree import Tree
from tests.analyse.planted import Planted


def kinds_and_parents(tree: Tree) -> list[tuple[str, str]]:
    names = [tree.names[at] for at in tree.name.tolist()]
    return [(names[at], names[parent]) for at, parent in enumerate(tree.parent.tolist()) if parent >= 0]


def pool(jobs: str = "job") -> Planted:
    run = Planted(10.0)
    main = run.phase("process", "main", 0.0, 10.0, process=1)
    parallel = run.phase("parallel", "Parallel", 1.0, 9.0, parent=main, process=1)
    for process in (2, 3):
        worker = run.phase("process", "worker", 1.0, 9.5, parent=parallel, process=process)
        run.phase("import", "numpy", 1.0, 2.0, parent=worker, process=process)
        job = run.phase(jobs, "fit", 2.0, 2.0 + 2 * process, parent=worker, process=process)
        run.phase("phase", "inside", 2.0, 3.0, parent=job, process=process)
    return run


def test_jobs_are_parts_of_what_asked_for_them():
    assert kinds_and_parents(pooled(pool().tree())) == [
        ("main", "run"),
        ("Parallel", "main"),
        ("numpy", "Parallel"),
        ("fit", "Parallel"),
        ("inside", "fit"),
        ("numpy", "Parallel"),
        ("fit", "Parallel"),
        ("inside", "fit"),
    ]


def test_a_process_without_jobs_is_no_worker():
    tree = pool("phase").tree()

    assert pooled(tree) is tree


def test_a_program_that_does_its_jobs_itself_stays():
    run = Planted(10.0)
    main = run.phase("process", "main", 0.0, 10.0, process=1)
    run.phase("job", "fit", 1.0, 5.0, parent=main, process=1)
    tree = run.tree()

    assert pooled(tree) is tree
