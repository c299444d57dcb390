"""The log of a Snakemake invocation: jobs, what they were told, and their tries."""

from __future__ import annotations

from datetime import UTC

import pytest

from longpole.exchange.snakemake_log import read_log

S = 1_000_000_000
BEGAN = 1794770146 * S  # 2026-11-15 19:15:46 UTC
LOG = """\
Building DAG of jobs...
Execute 1 jobs...
[Sun Nov 15 19:15:46 2026]
localrule work:
    input: raw/a.txt, raw/b.txt
    output: mid/a.txt
    jobid: 3
    benchmark: bench/a.tsv
    reason: Missing output files: mid/a.txt
    wildcards: s=a, n=2
    threads: 4
    resources: tmpdir=/tmp
[Sun Nov 15 19:15:48 2026]
Error in rule work:
    message: None
    jobid: 3
    output: mid/a.txt
    shell:
        echo "jobid: 9"
        (command exited with non-zero exit code)
Trying to restart job 3.
[Sun Nov 15 19:15:50 2026]
rule work:
    input: raw/a.txt, raw/b.txt
    output: mid/a.txt
    jobid: 3
    wildcards: s=a, n=2
    threads: 4
[Sun Nov 15 19:15:53 2026]
Finished jobid: 3 (Rule: work)
1 of 1 steps (100%) done
"""


def test_job_has_what_it_was_told_and_each_of_its_tries() -> None:
    [job] = read_log(LOG.replace("    benchmark: bench/a.tsv\n", ""), UTC)

    assert (job.rule, job.inputs, job.outputs) == ("work", ("raw/a.txt", "raw/b.txt"), ("mid/a.txt",))
    assert (job.wildcards, job.threads) == ("s=a, n=2", "4")
    assert [(one.start_ns, one.end_ns, one.failed) for one in job.tries] == [
        (BEGAN, BEGAN + 2 * S, True),
        (BEGAN + 4 * S, BEGAN + 7 * S, False),
    ]


def test_job_under_way_when_the_log_ends_has_no_end() -> None:
    [job] = read_log(LOG[: LOG.index("Error in")], UTC)

    assert (job.benchmark, job.tries[0].end_ns) == ("bench/a.tsv", None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00\xff",
        "rule x:\n    jobid: 1\n",
        "[Sun Foo 99 99:99:99 0000]\nrule x:\n    jobid: 1\n",
        "Finished jobid: 7",
    ],
)
def test_what_is_no_log_is_passed_over(text: str) -> None:
    assert all(one.start_ns is None for job in read_log(text) for one in job.tries)
