"""Snakemake's events as rows: tasks, attempts, waits, files and edges, however quiet it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from longpole.exchange.rows import Row, Rows, as_columns
from longpole.exchange.snakemake import Workflow

MS = 1_000_000


class Disk:
    """Files that are written when they are said to be."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[int, int, str]] = {}

    def write(self, name: str, at_ms: int, text: str = "data") -> None:
        self.files[name] = (len(text), at_ms * MS, text)

    def size_of(self, name: str) -> int | None:
        return self.files[name][0] if name in self.files else None

    def changed_ns(self, name: str) -> int | None:
        return self.files[name][1] if name in self.files else None

    def read(self, name: str) -> str:
        return self.files[name][2] if name in self.files else ""


class Tale:
    """A workflow, and the rows it has told, the last of each id."""

    def __init__(self) -> None:
        self.disk = Disk()
        self.workflow = Workflow(self.disk)
        self.tables: dict[str, dict[Any, Row]] = {}
        self.workflow.start_workflow(0)

    def take(self, rows: Rows) -> None:
        for table, some in rows.items():
            for row in some:
                key = row.get("id", (row.get("owner"), row.get("metric")))
                self.tables.setdefault(table, {})[key] = row

    def start(self, number: int, at_ms: int, **facts: Any) -> None:
        self.workflow.start_jobs([number], at_ms * MS)
        known = {"rule_name": f"rule{number}", "input": [], "output": [f"out{number}"], "threads": 1, **facts}
        self.take(self.workflow.describe_job(number, known, at_ms * MS))

    def end(self, number: int, at_ms: int, *, failed: bool = False) -> None:
        if not failed:
            self.disk.write(f"out{number}", at_ms)
        self.take(self.workflow.end_job(number, at_ms * MS, failed=failed))

    def phases(self, kind: str) -> list[tuple[Any, Any, Any, Any]]:
        """Return task, attempt, start and duration in ms of phases of a kind."""
        rows = [row for row in self.tables["phases"].values() if row["kind"] == kind]
        return [(row["task"], row["attempt"], row["start_ns"] // MS, _ms(row["duration_ns"])) for row in rows]


def _ms(duration_ns: int | None) -> int | None:
    return None if duration_ns is None else duration_ns // MS


@pytest.fixture
def tale() -> Tale:
    return Tale()


def test_job_waits_from_when_its_inputs_are_there(tale: Tale) -> None:
    tale.start(1, 10)
    tale.end(1, 30)
    tale.start(2, 50, input=["out1"])
    tale.end(2, 60)

    assert tale.phases("queue") == [(2, 1, 0, 10), (3, 1, 30, 20)]
    assert tale.phases("exec") == [(2, 1, 10, 20), (3, 1, 50, 10)]
    assert tale.phases("job") == [(2, 1, 0, 30), (3, 1, 30, 30)]


def test_edge_leads_from_who_made_a_file_to_who_uses_it(tale: Tale) -> None:
    tale.start(1, 0)
    tale.end(1, 5)
    tale.start(2, 10, input=["out1", "source"])

    [edge] = tale.tables["edges"].values()
    assert (edge["kind"], edge["from_task"], edge["to_task"], edge["bytes"]) == ("data", 2, 3, 4)
    assert {row["name"]: row["bytes"] for row in tale.tables["files"].values()} == {"out1": 4, "source": None}


def test_retry_is_a_second_attempt_of_the_same_task(tale: Tale) -> None:
    tale.start(1, 0)
    tale.end(1, 5, failed=True)
    assert tale.workflow.failed
    tale.start(1, 8)
    tale.end(1, 9)

    assert len(tale.tables["tasks"]) == 1
    jobs = [row for row in tale.tables["phases"].values() if row["kind"] == "job"]
    assert [(row["attempt"], row["status"]) for row in jobs] == [(1, "failed"), (2, "ok")]
    assert tale.phases("queue")[1] == (2, 2, 5, 3)
    assert not tale.workflow.failed


def test_task_has_its_rule_wildcards_threads_and_resources(tale: Tale) -> None:
    resources = {"mem_mb": 100, "_cores": 4, "tmpdir": "/tmp", "odd": object()}
    tale.start(1, 0, wildcards={"sample": "a"}, threads=4, resources=resources)

    [task] = tale.tables["tasks"].values()
    declared = {"threads": 4, "mem_mb": 100, "tmpdir": "/tmp", "wildcards": {"sample": "a"}}
    assert (task["name"], task["type"]) == ("rule1 sample=a", "rule1")
    assert json.loads(task["resources"]) == declared


def test_job_that_another_system_executes_is_submitted(tale: Tale) -> None:
    tale.workflow.remote = True
    tale.start(1, 0)
    tale.start(2, 0, local=True)

    assert [task for task, *_ in tale.phases("submitted")] == [2]
    assert [task for task, *_ in tale.phases("exec")] == [3]


def test_benchmark_file_is_in_the_totals(tale: Tale) -> None:
    tale.disk.write("b.tsv", 0, "s\tmax_rss\tio_in\tcpu_time\n1.5\t2\t-\t0.5\n1.5\t4\tNA\t0.25\n")
    tale.start(1, 0, benchmark="b.tsv")
    tale.end(1, 5)

    used = {row["metric"]: row["value"] for row in tale.tables["totals"].values()}
    assert used == {"cpu_user_ns": 0.75e9, "peak_memory_bytes": 4 * 1024 * 1024}


def test_ends_that_were_not_said_are_when_outputs_were_written(tale: Tale) -> None:
    tale.start(1, 0)
    tale.disk.write("out1", 20)
    tale.start(2, 30, input=["out1"])
    tale.disk.write("out2", 45)
    tale.start(3, 50, input=["out2"], output=[])
    tale.take(tale.workflow.end_workflow(60 * MS))

    assert tale.phases("exec") == [(2, 1, 0, 20), (3, 1, 30, 15), (4, 1, 50, 10)]


def test_job_under_way_when_snakemake_dies_is_unfinished(tale: Tale) -> None:
    tale.start(1, 0)

    assert tale.phases("exec") == [(2, 1, 0, None)]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("a.txt (pipe)", "a.txt"),
        ("a.txt (update, send to storage)", "a.txt"),
        ("a.txt (access: random)", "a.txt"),
        ("a (1).txt", "a (1).txt"),
        ("copy (final)", "copy (final)"),
    ],
)
def test_remarks_on_files_are_no_part_of_their_names(tale: Tale, said: str, meant: str) -> None:
    tale.start(1, 0, input=[said])

    assert next(iter(tale.tables["files"].values()))["name"] == meant


def test_end_of_a_job_that_never_began_is_nothing(tale: Tale) -> None:
    assert tale.workflow.end_job(7, 0, failed=True) == {}


def test_rows_become_columns_of_their_table(tale: Tale) -> None:
    tale.start(1, 0)

    columns = as_columns("phases", list(tale.tables["phases"].values()))
    assert list(columns["kind"]) == ["job", "queue", "exec"]
    assert list(columns["parent"]) == [None, 1, 1]
