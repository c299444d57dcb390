"""``longpole status``: while a run goes on, and after."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from tests.running import Bench, bench_of, until

HOLD = """
longpole: 1
name: hold
parameters: {folder: /nowhere}
sets: {n: {values: [a, b]}, tile: {from: "tiles/{tile}.txt"}}
tasks:
  wait:
    for_each: [n]
    run: "echo {n} > {folder}/begun; cat {folder}/{n} > {out}"
    outputs: {out: "waited/{n}.txt"}
  cut:
    inputs: {some: "waited/{n}.txt"}
    run: "mkdir -p tiles; cp {some} tiles/; rm tiles/b.txt"
    outputs: ["tiles/{tile}.txt"]
  use:
    for_each: [tile]
    inputs: {one: "tiles/{tile}.txt"}
    run: "grep -q well {one} && cp {one} {out}"
    outputs: {out: "used/{tile}.txt"}
"""


class Held:
    """A run whose two tasks wait until they are let go."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        bench.write("hold.yaml", HOLD)
        for name in ("begun", "a", "b"):
            os.mkfifo(bench.folder / name)
            bench.give(bench.folder / name)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start it, and wait until both tasks run."""
        options = ("--set", f"folder={self.bench.folder}", "-c", "2")
        process = self.bench.start("run", *(arguments or ("hold.yaml", *options)))
        begun = ""
        while len(begun.split()) < 2:
            begun += (self.bench.folder / "begun").read_text()
        return process

    def release(self, name: str, word: str = "well") -> None:
        """Let a task go on."""
        (self.bench.folder / name).write_text(f"{word}\n")


@pytest.fixture(params=["self", "nobody"])
def held(request: pytest.FixtureRequest) -> Iterator[Held]:
    with bench_of(nobody=request.param == "nobody") as bench:
        yield Held(bench)


@pytest.fixture
def ours() -> Iterator[Held]:
    with bench_of(nobody=False) as bench:
        yield Held(bench)


def test_a_run_that_goes_on_tells_what_runs_and_what_is_not_known_yet(held: Held) -> None:
    process = held.start()
    found = held.bench.json("status")
    shown = held.bench.call("status").stdout
    held.release("a")
    until(lambda: held.bench.json("status")["types"][0]["ran"] == 1)
    held.release("b")

    assert process.wait(60) == 0, (held.bench.folder / "said").read_text()
    assert (found["state"], found["exit_code"], found["cores"]) == ("running", None, 2)
    assert [(each["type"], each["total"], each["running"]) for each in found["types"]] == [
        ("wait", 2, 2),
        ("cut", 1, 0),
        ("use", None, 0),
    ]
    assert found["types"][2]["known_after"] == ["cut"]
    assert sorted(task["name"] for task in found["running"]) == ["wait n=a", "wait n=b"]
    assert "after 'cut'" in shown
    assert "Next       longpole status" in shown
    assert held.bench.json("status")["state"] == "finished"


def test_a_run_that_failed_tells_the_cause_and_how_to_go_on(ours: Held) -> None:
    process = ours.start()
    ours.release("a", "badly")
    ours.release("b")

    assert process.wait(60) == 1
    found, shown = ours.bench.json("status"), ours.bench.call("status")
    assert (found["state"], found["exit_code"]) == ("failed", 1)
    assert [each["cause"] for each in found["failures"]] == ["It ended with exit code 1."]
    assert " Failed     use tile=a\n" in shown.stdout
    assert "longpole run --resume" in shown.stdout
    assert shown.returncode == 0


def test_a_run_whose_driver_was_killed_is_broken_off_and_then_resumed(ours: Held) -> None:
    process = ours.start()
    [session] = ours.bench.json("status")["sessions"]
    os.kill(session["pid"], signal.SIGKILL)
    assert process.wait(60) == 1
    broken = ours.bench.json("status")
    again = ours.start("--resume")
    resumed = ours.bench.json("status")
    ours.release("a")
    ours.release("b")

    assert again.wait(60) == 0
    assert (broken["state"], broken["tasks"]["stopped"]) == ("broken off", 2)
    assert (resumed["state"], resumed["tasks"]["running"]) == ("running", 2)
    assert {task["attempt"] for task in resumed["running"]} == {2}
    ended = ours.bench.json("status")
    assert [one["ended"] for one in ended["sessions"]] == [False, True]
    assert ended["tasks"]["tried_again"] == 2
    assert "Drivers    began" in ours.bench.call("status").stdout


def test_who_watches_sees_it_to_its_end(ours: Held) -> None:
    process = ours.start()
    command = ours.bench.someone.command("status", "--watch")
    watcher = subprocess.Popen(
        command, env=ours.bench.environment(), cwd=ours.bench.folder, stdout=subprocess.PIPE, text=True
    )
    assert watcher.stdout is not None
    assert watcher.stdout.readline().startswith("longpole: run ")
    ours.release("a")
    ours.release("b")

    assert process.wait(60) == 0
    rest, _ = watcher.communicate(timeout=60)
    assert watcher.returncode == 0
    assert "finished in" in rest


def test_only_runs_of_workflows_have_a_status(ours: Held) -> None:
    none = ours.bench.call("status")
    recorded = ours.bench.call("record", "true")
    other = ours.bench.call("status", "latest")

    assert recorded.returncode == 0
    assert (none.returncode, other.returncode) == (2, 2)
    assert "There is no run of a workflow in" in none.stderr
    assert "is not the run of a workflow" in other.stderr


def test_watching_and_json_exclude_each_other(ours: Held) -> None:
    done = ours.bench.call("status", "--watch", "--json")

    assert done.returncode == 2
    assert "give one of them" in done.stderr
