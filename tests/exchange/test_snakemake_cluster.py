"""Jobs that Snakemake left to Slurm: waits and executions in there, put into what Snakemake saw."""

from __future__ import annotations

from itertools import count

import pytest

from longpole.exchange.rows import Row
from longpole.exchange.sacct_entry import Entry
from longpole.exchange.snakemake_cluster import Cluster, Submission, submitted_in
from longpole.model.execution import Status

S = 1_000_000_000
ARRAY = "Submitted array job with Snakemake IDs 7,9 and SLURM job ID 4711. The individual task IDs are 3-4."


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Submitted job 5 with external jobid '4711'.", [("5", "4711")]),
        ("Submitted job 5 with external jobid 'Submitted batch job 4711'.", [("5", "4711")]),
        ("Submitted job 5 with external jobid '4711;main'.", [("5", "4711")]),
        ("Submitted group job 0a-1b with external jobid '4711'.", [("0a-1b", "4711")]),
        ("Resuming incomplete job 5 with external jobid '4711'.", [("5", "4711")]),
        ("Submitted job 5 with external jobid '12.pbs.server'.", [("5", "")]),
        ("Job 5 has been submitted with SLURM jobid 4711 (log: x.log).", [("5", "4711")]),
        (ARRAY, [("7", "4711_3"), ("9", "4711_4")]),
        ("Select jobs to execute...", []),
    ],
)
def test_executors_say_what_they_submit(message: str, found: list[tuple[str, str]]) -> None:
    assert submitted_in(message) == found


def phases(cluster: Cluster, *entries: Entry) -> list[tuple[str, int, int, str]]:
    rows: list[Row] = cluster.account(entries, count(100))["phases"]
    return [(row["kind"], row["start_ns"] // S, row["end_ns"] // S, row["status"]) for row in rows]


def submitted(start_s: int = 1000, end_s: int = 1020) -> Cluster:
    cluster = Cluster()
    cluster.add("7", Submission(2, "work", 1, 3, start_s * S, end_s * S, Status.OK))
    return cluster


def entry(submit_s: int = 1000, start_s: int | None = 1005, end_s: int | None = 1015) -> Entry:
    return Entry(
        "7",
        state="COMPLETED",
        submit_ns=submit_s * S,
        start_ns=None if start_s is None else start_s * S,
        end_ns=None if end_s is None else end_s * S,
    )


def test_queue_of_the_cluster_is_apart_from_execution() -> None:
    assert phases(submitted(), entry()) == [("queue", 1000, 1005, "ok"), ("exec", 1005, 1015, "ok")]


def test_moments_stay_within_what_snakemake_saw() -> None:
    assert phases(submitted(), entry(start_s=999, end_s=1025)) == [
        ("queue", 1000, 1000, "ok"),
        ("exec", 1000, 1020, "ok"),
    ]


def test_job_that_is_not_accounted_as_ended_ended_when_snakemake_says() -> None:
    assert phases(submitted(), entry(end_s=None))[1] == ("exec", 1005, 1020, "ok")


def test_job_that_never_started_was_in_the_queue() -> None:
    assert phases(submitted(), entry(start_s=None)) == [("queue", 1000, 1015, "ok")]


def test_job_that_the_cluster_started_again_waited_twice() -> None:
    again = entry(submit_s=1008, start_s=1010, end_s=1015)

    assert phases(submitted(), entry(end_s=1008), again) == [
        ("queue", 1000, 1005, "ok"),
        ("exec", 1005, 1008, "failed"),
        ("queue", 1008, 1010, "ok"),
        ("exec", 1010, 1015, "ok"),
    ]


def test_older_job_of_the_same_number_is_not_meant() -> None:
    assert phases(submitted(), entry(submit_s=10, start_s=10, end_s=20)) == []


def test_jobs_of_which_nothing_is_told_are_a_gap_with_its_reason() -> None:
    cluster = submitted()
    cluster.add("", Submission(3, "work", 1, 6, 0))

    assert cluster.jobs == ("7",)
    assert cluster.gap([entry()]).startswith("When 1 of 2 jobs began in the cluster is not known: ")
    assert "There is no sacct here." in cluster.gap([], "There is no sacct here.")
    assert submitted().gap([entry()]) == ""
