"""The engine for one machine, with real processes: how they end, what they print, leave behind and make."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from longpole.run.staging.results import NOTES
from longpole.store.derive.workflow_notes import End, Parts
from tests.run.driven import Driven

ENDS = """
longpole: 1
name: ends
tasks:
  good:    {run: "true"}
  three:   {run: "exit 3"}
  killed:  {run: "kill -9 $$"}
  absent:  {run: "no-such-program --x"}
  inside:  {run: "no-such-program; true"}
  plain:   {run: "./not-executable", code: [not-executable]}
  prints:  {run: "echo one; echo two >&2; exit 1"}
  lacks:   {run: "true", outputs: [never.txt]}
  opt:     {run: "true", outputs: [{optional: maybe.txt}]}
  limited: {run: "no-such-program", resources: {memory: 100 MB}}
"""


@pytest.fixture
def driven(tmp_path: Path) -> Driven:
    return Driven(tmp_path)


def test_each_end_is_told_in_a_sentence(driven: Driven):
    driven.write(workflow__yaml=ENDS)
    (driven.folder / "described/not-executable").write_text("#!/bin/sh\n")
    driven.drive(1, keep_going=True)

    assert driven.job("good").committed
    assert driven.job("opt").committed
    assert driven.causes("three") == ("It ended with exit code 3.",)
    assert driven.causes("killed") == ("It was killed by SIGKILL.",)
    assert driven.causes("absent") == ("Its command 'no-such-program' was not found.",)
    assert driven.causes("limited") == ("Its command 'no-such-program' was not found.",)
    assert driven.causes("inside") == ("It ended with exit code 127: a command was not found.",)
    assert driven.causes("plain") == ("Its command './not-executable' may not be executed.",)
    assert "did not make 'never.txt'" in driven.causes("lacks")[0]
    assert driven.printed("prints") == "one\ntwo\n"
    assert "one" in driven.said.stderr  # the last lines of a task that failed


def test_many_silent_tasks_leave_no_file(driven: Driven):
    driven.write(
        workflow__yaml=f"""
longpole: 1
name: many
sets: {{n: {{values: {[str(at) for at in range(300)]}}}}}
tasks:
  silent: {{for_each: [n], run: "true"}}
  loud: {{run: "echo here"}}
"""
    ).drive()

    assert sorted(path.name.split(".")[0] for path in (driven.run_path / "output").iterdir()) == ["loud"]
    assert not (driven.folder / "scratch" / driven.run_id).exists()


@pytest.mark.parametrize("more", ["", "    timeout: 60 s\n"], ids=["at a worker", "by the driver"])
def test_what_a_task_leaves_running_is_ended_with_it(driven: Driven, more: str):
    driven.write(
        workflow__yaml="""
longpole: 1
name: leaves
tasks:
  leaves:
    run: "sleep 300 & echo $! > pid"
    outputs: [pid]
"""
        + more
    ).drive()

    pid = int((driven.kept / "pid").read_text())
    assert gone(pid)


def test_a_task_over_its_time_is_asked_to_end_and_then_killed(driven: Driven):
    driven.write(
        workflow__yaml="""
longpole: 1
name: late
tasks:
  mild:  {run: "trap 'echo asked; exit 0' TERM; sleep 60 & wait", timeout: 0.3 s}
  quick: {run: "true", timeout: 30 s}
"""
    ).drive(1, keep_going=True)

    assert driven.causes("mild") == ("It took longer than its timeout of 0.3 s.",)
    assert driven.printed("mild") == "asked\n"
    assert driven.job("quick").committed


def test_outputs_come_whole_whatever_they_are_called(driven: Driven):
    driven.write(
        workflow__yaml="""
longpole: 1
name: names
sets: {tile: {from: "tiles/{tile}.png"}}
tasks:
  cut:
    run: "printf a > tiles/'two  blanks'.png; printf b > tiles/it\\\\'s.png; printf c > tiles/ünï.png;
      printf d > ./tiles/-dash.png"
    outputs: ["tiles/{tile}.png"]
  copy:
    for_each: [tile]
    inputs: {png: "tiles/{tile}.png"}
    run: "cat {png} > {out}"
    outputs: {out: "{tile}.copy"}
  tree:
    run: "mkdir -p made/deep; echo 1 > made/deep/file; echo 2 > made/file"
    outputs: [made/]
  all:
    inputs: {copies: "{tile}.copy", tree: made/}
    run: "xargs -rd '\\n' cat < {copies.list} > sum; cat {tree}/deep/file >> sum"
    outputs: [sum]
results: [sum, "{tile}.copy", made/]
"""
    ).drive()

    names = {path.name for path in driven.out.iterdir() if path.name != NOTES}
    assert names == {"two  blanks.copy", "it's.copy", "ünï.copy", "-dash.copy", "sum", "made"}
    assert sorted((driven.out / "sum").read_text().strip()) == ["1", "a", "b", "c", "d"]
    assert (driven.out / "made/deep/file").read_text() == "1\n"


@pytest.mark.parametrize("cluster", ["", "whole"])
def test_an_output_that_need_not_be_made_need_not_come_to_who_uses_it(driven: Driven, cluster: str):
    driven.write(
        workflow__yaml="""
longpole: 1
name: optional
tasks:
  makes: {run: "touch there", outputs: [{optional: there}, {optional: absent}]}
  uses:  {inputs: [there, absent], run: "ls > out", outputs: [out]}
results: [out]
"""
    ).drive(cluster=cluster)

    listed = (driven.out / "out").read_text().split()
    assert "there" in listed
    assert "absent" not in listed


def test_gpus_are_given_out_and_back(driven: Driven):
    driven.write(
        workflow__yaml="""
longpole: 1
name: gpus
parameters: {count: ['1', '2', '3', '4', '5']}
sets: {n: {values: "{count}"}}
tasks:
  one:  {for_each: [n], run: "echo $CUDA_VISIBLE_DEVICES", resources: {gpus: 1}}
  both: {run: "echo $CUDA_VISIBLE_DEVICES", resources: {gpus: 2}}
"""
    ).drive(environment={"CUDA_VISIBLE_DEVICES": "3,5"})

    assert sorted(set(driven.printed("one").split())) == ["3", "5"]
    assert sorted(driven.printed("both").strip().split(",")) == ["3", "5"]


def test_what_a_process_uses_is_counted(driven: Driven):
    driven.write(
        workflow__yaml="""
longpole: 1
name: uses
tasks:
  burn:
    run: "python3 -c 'import time; any(time.process_time() > 0.5 for _ in iter(int, 1))'"
    timeout: 60 s
  reads:
    run: "head -c 5000000 /dev/zero > big; cat big big > bigger"
    outputs: [big, bigger]
  holds:
    run: "python3 -c 'x = bytearray(150_000_000); x[::4096] = b\\"1\\" * len(x[::4096])'"
    timeout: 60 s
"""
    ).drive()

    (burn,), (reads,), (holds,) = (driven.parts(name) for name in ("burn", "reads", "holds"))
    assert 500_000 <= sum(burn.used[:2]) < 2_000_000
    assert 15_000_000 <= reads.used[2] < 16_000_000
    assert 15_000_000 <= reads.used[3] < 15_200_000
    assert 150_000 < holds.used[6] < 250_000
    assert all(part.pid and part.own for part in (burn, reads, holds))


def test_a_process_that_runs_for_long_is_in_the_log_before_it_ends(driven: Driven):
    driven.write(
        workflow__yaml="""
longpole: 1
name: long
tasks:
  plain: {run: "exec sleep 60"}
  other: {run: "exec sleep 60", timeout: 100 s}
  brief: {run: "true"}
"""
    )
    driver = driven.start()
    try:
        until(lambda: driven.run_path.joinpath("output").exists() and len(going(driven)) == 2)
        told = going(driven)
        driver.kill()
        driver.wait()

        assert all(Path(f"/proc/{pid}/cmdline").read_bytes() == b"sleep\x0060\x00" for pid in told)
        pids = {pid for job in driven.log.jobs.values() for each in job.open for pid in each.pids}
        assert pids == set(told)
    finally:
        driver.kill()
        driver.communicate()
        for pid in going(driven):
            os.kill(pid, signal.SIGKILL)


def test_a_stop_ends_all_and_says_so(driven: Driven):
    driven.write(
        workflow__yaml="""
longpole: 1
name: stops
tasks:
  plain: {run: "exec sleep 60"}
  after: {inputs: [x], run: "true"}
  makes: {run: "sleep 62; touch x", outputs: [x], timeout: 100 s}
"""
    )
    driver = driven.start()
    until(lambda: driven.run_path.joinpath("output").exists() and len(going(driven)) == 2)
    pids = going(driven)
    driver.send_signal(signal.SIGINT)

    assert driver.wait(30) == 130
    driver.communicate()
    assert all(gone(pid) for pid in pids)
    assert {driven.job(name).status for name in ("plain", "makes")} == {2}
    assert driven.log.outcomes[driven.number("after")] in ("skipped", "never")


def test_memory_that_ran_out_is_told_and_more_of_it_is_given(driven: Driven):
    driven.write(
        workflow__yaml="""
longpole: 1
name: memory
tasks:
  grows:
    run: "python3 -c 'import time; x = bytearray(150_000_000); x[::4096] = b\\"1\\" * len(x[::4096]);
      time.sleep(1.5)'"
    resources: {memory: 80 MB}
    retry: {times: 2, memory: x2}
"""
    ).drive()

    job = driven.job("grows")
    assert job.committed
    assert job.attempts in (2, 3)
    assert "It ran out of memory: it may use 80" in job.causes[0]


def test_the_attempts_of_a_task_are_told_apart(driven: Driven):
    driven.write(
        workflow__yaml=f"""
longpole: 1
name: again
tasks:
  flaky:
    run: "echo x >> {driven.folder}/tries; test $(wc -l < {driven.folder}/tries) -eq 3"
    retry: {{times: 3}}
"""
    ).drive()

    ends = [(note.attempt, note.status) for note in driven.notes() if isinstance(note, End) and note.cause]
    assert ends == [(1, 1), (2, 1)]
    assert driven.job("flaky").attempts == 3
    assert not driven.job("flaky").open


def going(driven: Driven) -> list[int]:
    """Return the processes that were told of while they run."""
    notes = (note for note in driven.notes() if isinstance(note, Parts))
    return [part.pid for note in notes for part in note.parts if not part.end]


def until(true, most_s: float = 60.0) -> None:
    limit = time.monotonic() + most_s
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.05)


def gone(pid: int) -> bool:
    """Return whether a process has ended: it is not there, or only as a zombie that nobody reaps."""
    try:
        return ") Z " in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize("cluster", ["", "whole"])
def test_tasks_that_run_beside_each_other_have_lists_of_their_own(driven: Driven, cluster: str):
    # Each reads its list only when the other has begun: its own list has been written by then.
    driven.write(
        workflow__yaml=f"""
longpole: 1
name: beside
sets: {{group: {{values: [a, b]}}}}
tasks:
  read:
    for_each: [group]
    run: "touch {driven.folder}/{{group}}; until [ -e {driven.folder}/a ] && [ -e {driven.folder}/b ]; do
      sleep 0.01; done; cp {{wanted.list}} {{told}}"
    outputs: {{wanted: {{optional: "made/{{group}}.txt"}}, told: "told/{{group}}.txt"}}
results: ["told/{{group}}.txt"]
"""
    ).drive(cluster=cluster)

    told = {path.name: path.read_text() for path in (driven.out / "told").iterdir()}
    assert told == {"a.txt": "made/a.txt\n", "b.txt": "made/b.txt\n"}


@pytest.mark.parametrize("cluster", ["", "whole"])
def test_each_task_is_told_in_a_list_of_its_own_what_it_is_to_make(driven: Driven, cluster: str):
    driven.write(
        workflow__yaml="""
longpole: 1
name: wanted
sets: {n: {values: [1, 2, 3]}, group: {values: [a, b]}}
tasks:
  make:
    for_each: [group]
    run: "sleep 0.2; while read -r name; do echo {group} > $name; done < {wanted.list}"
    outputs: {wanted: "made/{group}-{n}.txt"}
results: ["made/{group}-{n}.txt"]
"""
    ).drive(cluster=cluster)

    made = {path.name: path.read_text() for path in (driven.out / "made").iterdir()}
    assert made == {f"{group}-{n}.txt": f"{group}\n" for group in "ab" for n in (1, 2, 3)}
