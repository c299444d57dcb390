"""What a user sees of ``longpole run``: while it goes, at its end, on a terminal and elsewhere."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.running import Bench, bench_of, until

EXAMPLE = Path(__file__).parents[2] / "examples" / "tiles"
SOME = """
longpole: 1
name: some
sets: {n: {values: [a, b, c]}}
tasks:
  make:
    for_each: [n]
    run: "sleep 0.6; echo {n} > {out}"
    outputs: {out: "made/{n}.txt"}
  join:
    inputs: {some: "made/{n}.txt"}
    run: "cat {some} > {all}"
    outputs: {all: all.txt}
results: [all.txt]
"""
BAD = """
longpole: 1
name: bad
sets: {n: {values: [a, b, c]}}
tasks:
  make:
    for_each: [n]
    run: |
      printf 'made \\033[31m{n}\\033[0m\\n' >&2
      test {n} != b && echo {n} > {out}
    outputs: {out: "made/{n}.txt"}
  join:
    inputs: {some: "made/{n}.txt"}
    run: "cat {some} > {all}"
    outputs: {all: all.txt}
"""
# Fails as long as there is no file outside of its folder.
SECOND = """
longpole: 1
name: second
parameters: {mark: /nowhere}
tasks:
  work:
    run: "test -e {mark} || { touch {mark}; exit 1; }; echo done > {out}"
    outputs: {out: out.txt}
    retry: {times: 1}
"""
STUBBORN = """
longpole: 1
name: stubborn
parameters: {pipe: /nowhere}
tasks:
  hold:
    run: "trap '' TERM; echo begun > {pipe}; while :; do sleep 60; done; echo > {out}"
    outputs: {out: out.txt}
    resources: {memory: 100 MB}
"""


@pytest.fixture
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


@pytest.fixture(params=["self", "nobody"])
def anyone(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with bench_of(nobody=request.param == "nobody") as made:
        yield made


class Terminal:
    """A terminal in which a command runs; its size is what the environment says."""

    def __init__(self, bench: Bench, columns: int, *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        extra = {"COLUMNS": str(columns), "TERM": "xterm"}
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *bench.someone.command(*arguments)],  # so that its keys send signals
            env=bench.environment(extra),
            cwd=bench.folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        self.text = ""

    def until(self, words: str, limit_s: float = 60.0) -> None:
        """Read until something has been said."""
        end = time.monotonic() + limit_s
        while words not in self.text:
            assert time.monotonic() < end, self.text
            assert self._read(), self.text

    def press(self, key: str) -> None:
        """Press a key."""
        os.write(self._ours, key.encode())

    def end(self) -> int:
        """Read all the rest; return the exit code."""
        while self._read():
            pass
        os.close(self._ours)
        return self.process.wait(60)

    def _read(self) -> bool:
        if not select.select([self._ours], [], [], 60)[0]:
            return False
        try:
            some = os.read(self._ours, 65536)
        except OSError:
            return False  # nobody has the other end any more
        self.text += some.decode()
        return bool(some)


def plain(text: str) -> str:
    """Return what was drawn, without what moves the cursor or sets colours."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text).replace("\r", "")


# ------------------------------------------------------------------------------------------ elsewhere


def test_the_end_says_what_was_done_where_results_are_and_what_comes_next(anyone: Bench) -> None:
    anyone.write("some.yaml", SOME)

    said = anyone.run("some.yaml").stderr

    run = anyone.runs()[-1].name.rpartition("-")[2]
    assert said.startswith(f"longpole: run {run} of workflow 'some', placement links\n")
    assert f"4 tasks: 4 ran; placement links, run {run}" in said
    assert f"1 file, 6 B, in {anyone.results}" in said
    assert f"Next       longpole explain {run}\n            longpole show {run}\n" in said
    assert "finished in" in said


def test_what_was_made_before_is_said_to_be_cached(bench: Bench) -> None:
    bench.write("some.yaml", SOME)
    bench.run("some.yaml")

    assert "4 tasks: 4 cached" in bench.run("some.yaml").stderr


def test_a_failure_is_said_at_once_and_its_cause_comes_first_in_the_end(anyone: Bench) -> None:
    anyone.write("bad.yaml", BAD)

    done = anyone.call("run", "bad.yaml", "--keep-going")

    assert done.returncode == 1
    early, _, end = done.stderr.partition("\n\n")
    assert "longpole: failed: make n=b: It ended with exit code 1." in early
    assert end.index(" Failed     make n=b") < end.index(" Tasks")
    assert "Command    printf 'made \\033[31mb\\033[0m\\n' >&2\n" in end
    assert "Printed    made \\x1b[31mb\\x1b[0m" in end
    assert "Skipped    1 task that depends on it" in end
    assert "4 tasks: 2 ran, 1 failed, 1 skipped" in end
    assert "Next       longpole run --resume" in end
    assert "\x1b" not in done.stderr


def test_a_task_that_needed_a_second_attempt_is_mentioned(bench: Bench) -> None:
    bench.write("second.yaml", SECOND)

    said = bench.run("second.yaml", "--set", f"mark={bench.folder}/mark").stderr

    assert "Attempts   1 task needed more than one" in said


def test_json_is_all_that_is_written_to_standard_output(bench: Bench) -> None:
    bench.write("bad.yaml", BAD)

    done = bench.call("run", "bad.yaml", "--keep-going", "--json")
    found = json.loads(done.stdout)

    assert (found["schema_version"], found["state"], found["exit_code"]) == (1, "failed", 1)
    assert [(each["type"], each["ran"], each["failed"], each["skipped"]) for each in found["types"]] == [
        ("make", 2, 1, 0),
        ("join", 0, 0, 1),
    ]
    [failed] = found["failures"]
    assert (failed["task"], failed["attempt"], failed["skipped"]) == ("make n=b", 1, 1)
    assert found["makespan_s"] > 0


def test_runs_kept_elsewhere_are_named_with_their_folder(bench: Bench) -> None:
    bench.write("some.yaml", SOME)

    said = bench.run("some.yaml", "--runs", str(bench.folder / "else where")).stderr

    assert f"--runs '{bench.folder}/else where'" in said


def test_resuming_counts_what_was_made_before_as_made_in_this_run(bench: Bench) -> None:
    bench.write("bad.yaml", BAD)
    bench.call("run", "bad.yaml", "--keep-going")

    found = json.loads(bench.call("run", "--resume", "--keep-going", "--json").stdout)

    assert (found["types"][0]["ran"], found["types"][0]["cached"]) == (2, 0)


def test_the_example_of_the_docs_does_what_they_say(bench: Bench) -> None:
    for path in EXAMPLE.iterdir():
        if path.is_file():
            bench.write(path.name, path.read_text())

    assert "14 tasks: 14 ran" in bench.run("tiles.yaml").stderr
    assert (bench.results / "total.txt").read_text() == "93\n"
    bench.write("raw.txt", (EXAMPLE / "raw.txt").read_text() + "A line more.\n")
    assert "15 tasks: 3 ran, 12 cached" in bench.run("tiles.yaml").stderr


# ------------------------------------------------------------------------------------------ on a terminal


@pytest.mark.parametrize("columns", [40, 80])
def test_a_terminal_shows_each_type_while_it_runs(bench: Bench, columns: int) -> None:
    bench.write("some.yaml", SOME)
    terminal = Terminal(bench, columns, "run", "some.yaml", "-c", "1")

    assert terminal.end() == 0
    text = plain(terminal.text)
    assert "Longest    make n=" in text
    assert re.search(r" make +█+.* [12]/3 +1\n", text)
    assert all(
        len(line) <= columns for line in text.splitlines() if "/" not in line and "longpole" not in line
    )
    assert "4 tasks: 4 ran" in text
    assert "\x1b[36m" in terminal.text


def test_what_was_drawn_is_gone_when_the_end_is_shown(bench: Bench) -> None:
    bench.write("some.yaml", SOME)
    terminal = Terminal(bench, 80, "run", "some.yaml", "-c", "1")

    terminal.end()
    last = terminal.text.rpartition("\x1b[J")[2]
    assert "Longest" not in last
    assert "finished in" in last


def test_ctrl_c_stops_jobs_and_a_second_one_ends_them_at_once(bench: Bench) -> None:
    bench.write("stubborn.yaml", STUBBORN)
    pipe = bench.folder / "pipe"
    os.mkfifo(pipe)
    terminal = Terminal(bench, 80, "run", "stubborn.yaml", "--set", f"pipe={pipe}")
    assert pipe.read_text() == "begun\n"

    terminal.press("\x03")
    terminal.until("stopping 1 job; press Ctrl-C again to end them at once")
    terminal.press("\x03")

    assert terminal.end() == 130
    text = plain(terminal.text)
    assert "stopped after" in text
    assert "1 task: 1 stopped" in text
    assert "Next       longpole run --resume" in text
    until(lambda: bench.processes() == [])


def test_no_colour_where_the_user_wants_none(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    bench.write("some.yaml", SOME)
    terminal = Terminal(bench, 80, "run", "some.yaml")

    assert terminal.end() == 0
    assert not re.search(r"\x1b\[[0-9;]+m", terminal.text)


# ------------------------------------------------------------------------------------------ in the record


def test_recording_a_workflow_costs_less_than_loading_it(bench: Bench) -> None:
    bench.write("some.yaml", SOME)
    bench.run("some.yaml")

    shown = bench.json("show")

    driver = max(one["cpu_s"] for one in shown["process_list"] if "longpole.app.driving" in one["command"])
    assert shown["recording"]["cpu_s"] < driver


def test_auxiliary_jobs_are_one_line_below_the_tasks(bench: Bench) -> None:
    bench.write("some.yaml", SOME)
    bench.run("some.yaml")

    shown = bench.call("show").stdout

    assert "and 6 auxiliary jobs: cleanup, create_dir, register, stage_out" in shown
    assert "\n stage_out" not in shown
    assert "\n 4 tasks," in shown


def test_a_task_may_be_called_as_an_auxiliary_job(bench: Bench) -> None:
    bench.write("some.yaml", SOME.replace("join:", "cleanup:"))
    bench.run("some.yaml")

    assert bench.json("status")["tasks"]["ran"] == 4
    assert bench.call("show").returncode == 0
