"""Phases as users mark them: nested, decorated, failing, in threads, tasks and forked children."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import longpole
from tests.recording import SOURCE, Someone

PROGRAM = """
import asyncio, multiprocessing, os, threading, time
import longpole

@longpole.phase
def plain(): return 1

@longpole.phase("named", colour="red")
def named(): return 2

@longpole.phase
async def slow(n):
    with longpole.phase("in task", n=n):
        await asyncio.sleep(0.02)

@longpole.phase
def numbers():
    yield 1
    yield 2

def worker():
    with longpole.phase("in worker"): time.sleep(0.01)

async def both(): await asyncio.gather(slow(1), slow(2))

if __name__ == "__main__":
    assert (plain(), named(), list(numbers())) == (1, 2, [1, 2])
    with longpole.phase("outer", rows=3) as outer:
        with longpole.phase("inner"): pass
        outer.note(kept=2)
        process = multiprocessing.get_context("fork").Process(target=worker)
        process.start(); process.join()
    try:
        with longpole.phase("failing"): raise KeyError("x")
    except KeyError: pass
    asyncio.run(both())
    thread = threading.Thread(target=worker); thread.start(); thread.join()
    class Odd:
        def __str__(self): raise RuntimeError
        __repr__ = __str__
    with longpole.phase("odd attribute", thing=Odd(), nan=float("nan"), path=__file__): pass
    with longpole.phase(Odd()): pass
    with longpole.phase("kind of its own", kind="epoch"): pass
"""

Row = dict[str, int | float | str | None]


@pytest.fixture(scope="module")
def phases(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """The phases of a program that uses everything."""
    from tests.recording import somebody

    with somebody(nobody=False) as user:
        script = tmp_path_factory.mktemp("program") / "program.py"
        script.write_text(PROGRAM)
        done = user.record(user.python, str(script))
        assert (done.returncode, done.stderr) == (0, "")
        sql = """SELECT p.*, q.name AS parent_name FROM phases p LEFT JOIN phases q ON p.parent = q.id
                 WHERE p.kind NOT IN ('run', 'process')"""
        return list(user.latest().query(sql).records())


def one(phases: list[Row], name: str) -> Row:
    [found] = [phase for phase in phases if phase["name"] == name]
    return found


def test_decorated_functions_of_all_kinds_are_phases(phases: list[Row]) -> None:
    names = [phase["name"] for phase in phases]

    assert [names.count(name) for name in ("plain", "named", "numbers", "slow")] == [1, 1, 1, 2]


def test_phases_nest(phases: list[Row]) -> None:
    assert one(phases, "inner")["parent_name"] == "outer"


def test_tasks_of_one_thread_do_not_mix(phases: list[Row]) -> None:
    inside = [phase for phase in phases if phase["name"] == "in task"]

    assert [phase["parent_name"] for phase in inside] == ["slow", "slow"]
    assert len({phase["parent"] for phase in inside}) == 2


def test_forked_child_hangs_under_the_phase_it_was_forked_in(phases: list[Row]) -> None:
    parents = {phase["parent_name"] for phase in phases if phase["name"] == "in worker"}

    assert "outer" in parents


def test_failing_block_is_failed_and_says_by_what(phases: list[Row]) -> None:
    failing = one(phases, "failing")

    assert (failing["status"], failing["attributes"]) == ("failed", '{"error": "KeyError"}')


def test_attributes_are_kept_and_may_come_late(phases: list[Row]) -> None:
    assert one(phases, "outer")["attributes"] == '{"rows": 3, "kept": 2}'
    assert one(phases, "named")["attributes"] == '{"colour": "red"}'


def test_odd_values_do_no_harm(phases: list[Row]) -> None:
    assert '"thing": "<Odd>"' in str(one(phases, "odd attribute")["attributes"])


def test_kind_can_be_chosen(phases: list[Row]) -> None:
    assert one(phases, "kind of its own")["kind"] == "epoch"


def test_threads_have_lanes_of_their_own(phases: list[Row]) -> None:
    assert len({phase["lane"] for phase in phases}) >= 2


def test_durations_are_ends_minus_starts(phases: list[Row]) -> None:
    for phase in phases:
        assert phase["duration_ns"] == phase["end_ns"] - phase["start_ns"]  # type: ignore[operator]
        assert phase["duration_ns"] >= 0  # type: ignore[operator]


def test_exception_goes_through_an_unrecorded_phase_untouched() -> None:
    error = ValueError("mine")
    with pytest.raises(ValueError, match="mine") as caught, longpole.phase("x"):
        raise error

    assert caught.value is error


HEAVY = {"json", "re", "typing", "dataclasses", "enum", "inspect", "logging", "threading", "click", "numpy"}
CLIENT = ("longpole.record.client", "longpole.log.slots")
ON_THE_WAY = {"longpole", "longpole._version", "longpole.log", "longpole.record", "longpole.record.recording"}


def test_client_loads_nothing_but_itself_and_the_slots() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); before = set(sys.modules);"
        " import longpole; print(*sorted(set(sys.modules) - before))"
    )
    bare = [sys.executable, "-I", "-S", "-c", script]
    loaded = subprocess.run(bare, capture_output=True, text=True, check=True).stdout.split()

    assert not HEAVY & set(loaded)
    ours = [name for name in loaded if name.startswith("longpole")]
    assert [name for name in ours if not name.startswith(CLIENT) and name not in ON_THE_WAY] == []


@pytest.mark.parametrize("version", ["3.8", "3.9", "3.10", "3.12", "3.13"])
def test_client_works_on_other_pythons(user: Someone, version: str) -> None:
    python = _find(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    script = (
        "import longpole\nwith longpole.phase('old', n=1): pass\n"
        "@longpole.phase\ndef f(): return 3\nassert f() == 3"
    )

    done = user.record(python, "-c", script)

    assert (done.returncode, done.stderr) == (0, "")
    names = user.latest().query("SELECT name FROM phases WHERE kind = 'phase' ORDER BY name")["name"]
    assert list(names) == ["f", "old"]


def _find(version: str) -> str | None:
    managed = (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python")
    return shutil.which(f"python{version}", path="/usr/bin:/usr/local/bin") or next(map(str, managed), None)


def test_decorated_async_generator_takes_and_throws_as_it_did() -> None:
    import asyncio

    seen: list[object] = []

    @longpole.phase
    async def answering():
        try:
            while True:
                try:
                    seen.append((yield len(seen)))
                except KeyError as error:
                    seen.append(error)
        finally:
            seen.append("closed")

    async def talk() -> None:
        generator = answering()
        await generator.asend(None)
        await generator.asend("hello")
        await generator.athrow(KeyError("x"))
        await generator.aclose()
        assert [str(one) for one in seen] == ["hello", "'x'", "closed"]

    asyncio.run(talk())


def test_decorated_methods_of_all_kinds_stay_what_they_were() -> None:
    class Thing:
        @longpole.phase
        @staticmethod
        def fixed(n: int) -> int:
            return n

        @longpole.phase
        @classmethod
        def named(cls) -> str:
            return cls.__name__

        @longpole.phase  # type: ignore[prop-decorator]
        @property
        def size(self) -> int:
            return 3

        @longpole.phase("own name")
        def plain(self) -> int:
            return 4

    thing = Thing()
    assert (thing.fixed(1), Thing.fixed(2), thing.named(), thing.size, thing.plain()) == (1, 2, "Thing", 3, 4)


def test_class_is_refused_with_a_sentence() -> None:
    with pytest.raises(TypeError, match="marks functions"):

        @longpole.phase
        class Thing:
            pass


def test_attribute_may_be_called_name() -> None:
    with longpole.phase("load", name="train.csv"):
        pass


def test_misused_phase_does_no_harm(user: Someone) -> None:
    script = (
        "import longpole, threading\nshared = longpole.phase('shared')\n"
        "def use():\n    for _ in range(50):\n        with shared: pass\n"
        "threads = [threading.Thread(target=use) for _ in range(8)]\n"
        "[thread.start() for thread in threads]; [thread.join() for thread in threads]\n"
        "with longpole.phase('renamed') as one: one.name = 5; one.kind = []\n"
        "print('fine')"
    )

    done = user.record(user.python, "-c", script)

    assert (done.returncode, done.stdout, done.stderr) == (0, "fine\n", "")
