"""Tasks and files of workflows: who hands what to whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longpole.store.run import StoredRun
from tests.builders import HandmadeRun, workflow_run


def rows(run: StoredRun, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in run.query(sql).records()]


def handing_over(path: Path, files: int) -> StoredRun:
    """Return a run in which one task hands so many files of 10 bytes to another."""
    made = HandmadeRun(path, joint=True)
    numbers = tuple(range(1, files + 1))
    with made.driver() as driver:
        driver.files(1, *(f"f{number}" for number in numbers), sizes=(10,) * files)
        driver.task(1, "make", outputs=numbers)
        driver.task(2, "use", inputs=numbers)
        driver.end_well(10)
    return made.open()


def test_an_edge_leads_from_who_makes_a_file_to_who_uses_it(tmp_path: Path) -> None:
    run = workflow_run(tmp_path).open()

    found = rows(
        run,
        """SELECT kind, from_task, to_task, files.name, edges.bytes FROM edges JOIN files ON files.id = file
        ORDER BY edges.id""",
    )

    assert found == [
        ("data", 1, 2, "tiles/1.png", 100),
        ("data", 1, 3, "tiles/2.png", 200),
        ("data", 2, 4, "scores/1.txt", 8),
        ("data", 3, 4, "scores/2.txt", 7),
    ]


def test_files_have_the_size_and_checksum_of_their_last_commit(tmp_path: Path) -> None:
    run = workflow_run(tmp_path).open()

    assert rows(run, "SELECT name, bytes, checksum FROM files WHERE id IN (1, 4)") == [
        ("data/raw.png", 5000, None),
        ("scores/1.txt", 8, "dd"),
    ]


def test_opens_say_which_task_uses_and_makes_which_file(tmp_path: Path) -> None:
    run = workflow_run(tmp_path).open()

    used = rows(run, "SELECT task, file FROM opens WHERE written = 0 ORDER BY ALL")
    made = rows(run, "SELECT task, file FROM opens WHERE written = 1 ORDER BY ALL")

    assert used == [(1, 1), (2, 2), (3, 3), (4, 4), (4, 5)]
    assert made == [(1, 2), (1, 3), (2, 4), (3, 5), (4, 6)]


def test_a_few_files_between_two_tasks_are_edges_one_by_one(tmp_path: Path) -> None:
    assert rows(handing_over(tmp_path, 16), "SELECT count(*), sum(bytes) FROM edges") == [(16, 160)]


def test_many_files_between_two_tasks_are_one_edge_with_all_their_bytes(tmp_path: Path) -> None:
    run = handing_over(tmp_path, 17)

    assert rows(run, "SELECT kind, from_task, to_task, file, bytes FROM edges") == [("data", 1, 2, None, 170)]


def test_waiting_for_a_function_that_returned_something_is_a_dependency_on_data(tmp_path: Path) -> None:
    made = HandmadeRun(tmp_path, joint=True)
    with made.driver() as driver:
        driver.task(1, "call")
        driver.task(2, "setup")
        driver.task(3, "use", after=(1, 2, 3, 99))
        driver.start(1, 1)
        driver.finish_job(1, 2, value="a102")
        driver.end_well(10)

    found = rows(
        made.open(), "SELECT kind, from_task, to_task FROM edges WHERE from_task IS NOT NULL ORDER BY id"
    )

    assert found == [("data", 1, 3), ("control", 2, 3)]


def test_what_a_task_needs_is_json_without_what_is_not_said(tmp_path: Path) -> None:
    run = workflow_run(tmp_path).open()

    assert rows(run, "SELECT resources FROM tasks WHERE id IN (1, 4)") == [
        ('{"cores": 1, "gpus": 0, "nodes": 1, "ranks": 1}',),
        ('{"cores": 2, "memory_bytes": 200000000, "gpus": 0, "nodes": 1, "ranks": 1}',),
    ]
