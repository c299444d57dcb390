"""What is taken for done: only what was made of the same, and is still what was made."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.images import MARKER, images
from tests.parts import need
from tests.running import Bench, bench_of, until

_VALUED = """\
longpole: 1
name: valued
parameters: {v: 1}
tasks:
  a: {run: "printf {v} > {out}", outputs: {out: a.txt}}
  b: {inputs: [a.txt], run: "test -e %s && cat a.txt > {out}", outputs: {out: b.txt}}
results: [b.txt]
"""
_SLOW = """\
longpole: 1
name: slow
tasks:
  copy: {inputs: [data.txt], run: "cat data.txt > {out}; cat %s", outputs: {out: copy.txt}}
"""


@pytest.fixture
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


def test_going_on_does_not_take_what_another_run_has_made_meanwhile(bench: Bench):
    flag = bench.folder / "flag"
    bench.write("valued.yaml", _VALUED % flag)
    failed = bench.call("run", "valued.yaml", "--set", "v=1")
    first = bench.runs()[-1].name.rpartition("-")[2]
    flag.write_text("")
    bench.run("valued.yaml", "--set", "v=2")
    made = (bench.results / "b.txt").read_text()

    bench.run("--resume", first)

    assert failed.returncode == 1
    assert (made, (bench.results / "b.txt").read_text()) == ("2", "1")


def test_an_input_that_changes_while_its_task_runs_is_seen_the_next_time(bench: Bench):
    pipe = bench.folder / "pipe"
    os.mkfifo(pipe)
    bench.write("slow.yaml", _SLOW % pipe)
    bench.write("data.txt", "old")
    running = bench.start("run", "slow.yaml")
    with pipe.open("w"):  # its task has read the input by now
        bench.write("data.txt", "new")
    running.wait(60)
    running = bench.start("run", "slow.yaml")
    with pipe.open("w"):
        pass
    running.wait(60)

    assert (bench.results / "copy.txt").read_text() == "new"


def test_what_was_made_on_the_host_is_made_again_in_a_container(bench: Bench):
    need("bwrap")
    with images() as folder:
        task = f"{{image: {folder / 'root'}, run: 'ls / > {{out}}', outputs: {{out: root.txt}}}}"
        bench.write("boxed.yaml", f"longpole: 1\nname: boxed\ntasks: {{list: {task}}}\n")
        bench.run("boxed.yaml", "--container", "none")
        outside = (bench.results / "root.txt").read_text()
        bench.run("boxed.yaml")

    assert MARKER[1:] not in outside
    assert MARKER[1:] in (bench.results / "root.txt").read_text()


def test_a_run_goes_on_with_its_own_workflow_and_as_it_was_chosen(bench: Bench):
    flag = bench.folder / "flag"
    bench.write("valued.yaml", _VALUED % flag)
    bench.write("other.yaml", _VALUED % flag)
    bench.call("run", "valued.yaml")

    other = bench.call("run", "other.yaml", "--resume")
    changed = bench.call("run", "--resume", "--checksums", "off")

    assert (other.returncode, changed.returncode) == (2, 2)
    assert "is a run of" in other.stderr
    assert "--checksums was chosen when the run began" in changed.stderr


def test_a_job_whose_worker_dies_is_ended_before_it_begins_again(bench: Bench):
    ledger = bench.folder / "ledger"
    bench.write(
        "dies.yaml",
        "longpole: 1\nname: dies\ntasks:\n"
        f"  t: {{run: 'echo $PPID >> {ledger}; test -e {bench.folder}/flag || sleep 60', retry: 1}}\n",
    )
    running = bench.start("run", "dies.yaml")
    until(lambda: ledger.exists() and ledger.read_text().endswith("\n"))
    worker = int(ledger.read_text())
    (bench.folder / "flag").write_text("")
    os.kill(worker, 9)

    assert running.wait(60) == 0
    assert len(ledger.read_text().splitlines()) == 2
    assert not bench.processes() or all("sleep" not in _said(pid) for pid in bench.processes())


def _said(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""
