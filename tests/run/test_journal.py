"""The journal: what is flushed is read back, numbers stay, and a full disk ends the run with a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from longpole.log.files import BACKLOG_BYTES, read_logs
from longpole.model.workflow import Resources, Task, Template
from longpole.plan.expansion import Expansion
from longpole.run.jobs import Job
from longpole.run.journal import Failure, Journal, JournalError, Result
from longpole.run.messages import Made
from longpole.run.policy import Known
from longpole.run.resuming import Past, together
from longpole.store.derive.workflow_notes import Driver, Group, Outline, Part, Sizes
from longpole.store.workflow import read_driver_logs
from tests.plan.described import task, tiles, workflow
from tests.run.driven import Driven
from tests.run.staging.disks import small_tmpfs

DRIVER = Driver(1, 2, "made", "links", "tiles.yaml", "{}")


@pytest.fixture
def run_path(tmp_path: Path) -> str:
    (tmp_path / "log").mkdir()
    return str(tmp_path)


def expanded(described):
    expansion = Expansion(described, {})
    expansion.expand()
    return expansion


def test_what_was_told_is_read_back(run_path: str):
    expansion = expanded(workflow(task("one", ["in"], ["a b", "{{c}}"]), task("two", ["a b"], ["d"])))
    journal = Journal(run_path, {}, {})
    journal.begin(DRIVER)
    one, two = (journal.plan(each) for each in expansion.tasks)
    journal.start(one, 1, 10, 5)
    journal.parts(one, 1, [Part("exec", 11, 0, pid=99, own=1)])
    journal.fail(one, 1, 20, [], Failure(1, "It failed."))
    journal.start(one, 2, 30, 25)
    journal.commit(one, 2, 40, [], Result((Made("a b", 3, "sum"), Made("{c}", 0, "")), b"\x01"))
    journal.start(two, 1, 50, 45)
    journal.parts(two, 1, [Part("exec", 51, 0, pid=77, own=1)])
    journal.flush()

    log = read_driver_logs(run_path)

    assert [planned.name for planned in log.planned.values()] == ["one", "two"]
    assert [log.files[number] for number in log.planned[one].outputs] == ["a b", "{c}"]
    assert log.jobs[one].committed
    assert log.jobs[one].causes == ("It failed.",)
    assert [(log.files[number], size) for number, size, _ in log.jobs[one].outputs] == [
        ("a b", 3),
        ("{c}", 0),
    ]
    assert [(each.attempt, each.pids) for each in log.jobs[two].open] == [(1, (77,))]
    assert not log.sessions[0].ended
    journal.close()
    assert read_driver_logs(run_path).sessions[0].ended


def test_who_goes_on_counts_on(run_path: str):
    expansion = expanded(tiles())
    first = Journal(run_path, {}, {})
    first.begin(DRIVER)
    cut, group = first.plan(expansion.tasks[0]), first.group("label")
    first.close()

    past = Past(read_driver_logs(run_path), expansion, lambda made: (Path(run_path) / made.name).exists())
    second = Journal(run_path, past.tasks, past.files)
    second.begin(DRIVER)

    assert (second.plan(expansion.tasks[0]), second.group("label")) == (cut, group)
    assert second.plan_auxiliary("cleanup", "cleanup") > max(cut, group)
    second.close()
    assert past.sessions == 1


def test_what_a_cluster_gets_and_what_a_workflow_was_are_written_down(run_path: str):
    journal = Journal(run_path, {}, {})
    journal.begin(DRIVER)
    number = journal.group("c", Resources(cores=8, gpus=2))
    journal.outline(Outline(jobs=1, staged_in=28_803))
    journal.close()

    notes = _notes(run_path)

    assert msgspec.json.encode(Group(number, "c", 8, 2)) in notes
    assert msgspec.json.encode(Outline(jobs=1, staged_in=28_803)) in notes


def test_sizes_of_files_from_outside_are_told_by_their_numbers(run_path: str):
    journal = Journal(run_path, {}, {})
    journal.begin(DRIVER)
    first, second = journal.files(["a", "b"])
    journal.sizes({"b": 7, "a": 0, "never said": 3})
    journal.close()

    assert msgspec.json.encode(Sizes(((second, 7), (first, 0)))) in _notes(run_path)


def test_results_of_a_cluster_are_told_apart(run_path: str):
    expansion = expanded(workflow(task("one", [], ["a"]), task("two", ["a"], ["b"])))
    journal = Journal(run_path, {}, {})
    journal.begin(DRIVER)
    group = journal.group("c")
    one, two = (journal.plan(each, group) for each in expansion.tasks)
    journal.start(group, 1, 10, 5)
    made = (Made("a", -1, ""), Made("b", 1, "sum"))
    journal.commit(group, 1, 20, [], Result(made, together({one: b"1", two: b"2"})))
    journal.close()
    (Path(run_path) / "b").write_text("x")
    past = Past(read_driver_logs(run_path), expansion, lambda made: (Path(run_path) / made.name).exists())

    class Cluster:
        label, tasks = "c", [0, 1]

    known = past.known(Cluster())  # type: ignore[arg-type]

    assert known is not None
    assert [(each.value, [made.name for made in each.made]) for each in known] == [
        (b"1", ["a"]),
        (b"2", ["b"]),
    ]
    (Path(run_path) / "b").unlink()
    gone = Past(read_driver_logs(run_path), expansion, lambda _: False)
    assert gone.known(Cluster()) is None  # type: ignore[arg-type]


def test_a_task_is_committed_where_it_ran_wherever_it_was_planned_since(run_path: str):
    expansion = expanded(workflow(task("one", [], ["a"]), task("two", [], ["b"]), task("three", [], ["c"])))
    drive(run_path, expansion, "c", committed=[0], planned=[])
    drive(run_path, expansion, "c (2)", committed=[1], planned=[2])
    drive(run_path, expansion, "c", committed=[], planned=[0, 1, 2])

    past = Past(read_driver_logs(run_path), expansion, lambda _: True)

    assert [past.job_of(each) for each in range(3)] == ["c", "c (2)", None]
    assert (past.has("c"), past.has("c (3)")) == (True, False)
    one, two = Known((Made("a", 1, "sum"),), b"0"), Known((Made("b", 1, "sum"),), b"1")
    assert past.known(Job(0, "c", tasks=[0, 1])) == [one, two]
    assert past.known(Job(0, "c", tasks=[2])) is None


def drive(run_path: str, expansion: Expansion, label: str, committed: list[int], planned: list[int]) -> None:
    """Plan tasks for a cluster, which is committed before the last of them are."""
    past = Past(read_driver_logs(run_path), expansion, lambda _: True)
    journal = Journal(run_path, past.tasks, past.files)
    journal.begin(DRIVER)
    group = journal.group(label)
    ids = {each: journal.plan(expansion.tasks[each], group) for each in committed}
    if ids:
        made = tuple(Made(name, 1, "sum") for each in ids for (name,) in expansion.tasks[each].outputs)
        value = together({number: b"%d" % each for each, number in ids.items()})
        journal.commit(group, 1, 20, [], Result(made, value))
    for each in planned:
        journal.plan(expansion.tasks[each], group)
    journal.close()


def test_more_tasks_than_a_log_holds_back_are_all_written(run_path: str):
    journal = Journal(run_path, {}, {})
    long_name = "x" * 1000
    count = 2 * BACKLOG_BYTES // len(long_name)

    for number in range(count):
        journal.plan(named(f"{long_name}{number}"), 0)
    journal.flush()

    assert len(read_driver_logs(run_path).planned) == count
    journal.close()


def test_a_note_too_large_for_the_log_stops_the_run(run_path: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("longpole.run.journal._LARGEST_BYTES", BACKLOG_BYTES)
    journal = Journal(run_path, {}, {})
    journal.plan(named("x" * BACKLOG_BYTES), 0)

    with pytest.raises(JournalError, match="Cannot write the log of this run"):
        journal.flush()


def named(name: str) -> Task:
    return Task(name, Template("one", command="true"), {}, (), ())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with small_tmpfs(tmp_path / "disk", "256k") as disk:
        yield disk


def test_a_full_disk_ends_the_run_with_a_sentence_and_leaves_nothing_running(
    small_disk: Path, tmp_path: Path
):
    driven = Driven(tmp_path).write(
        workflow__yaml=f"""
longpole: 1
name: fills
sets: {{n: {{values: [{", ".join(f"'{at}'" for at in range(400))}]}}}}
tasks:
  fill: {{run: "head -c 1000000 /dev/zero > {small_disk}/ballast || true"}}
  each: {{for_each: [n], inputs: [never], run: "true"}}
  long: {{run: "echo $$ > {tmp_path}/pid; exec sleep 60", timeout: 100 s}}
  never: {{run: "sleep 2; touch never", outputs: [never]}}
"""
    )
    driven.run_path.parent.symlink_to(small_disk)
    driven.drive(3)

    assert "No space left on device" in driven.said.stderr
    assert "Traceback" not in driven.said.stderr
    pid = int((tmp_path / "pid").read_text())
    assert not Path(f"/proc/{pid}").exists() or b"sleep" not in Path(f"/proc/{pid}/cmdline").read_bytes()


def _notes(run_path: str) -> bytes:
    """Return all that was written down."""
    [path] = (Path(run_path) / "log").iterdir()
    return b"".join(bytes(frame.payload) for frames, _ in read_logs(str(path)) for frame in frames)
