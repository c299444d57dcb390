"""Functions as tasks, in warm workers: arguments, results, what they print, and how they fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.driven import Driven

STEPS = """
import os, signal, subprocess, sys

def add(*numbers, start=0): return start + sum(numbers)
def pair(first, more): return [first, more]
def say(text): print(text); print("beside", file=sys.stderr)
def fail(): print("before"); raise ValueError("no such thing")
def leave(): sys.exit(4)
def odd(): return object()
def die(): print("last words"); sys.stdout.flush(); os.kill(os.getpid(), signal.SIGKILL)
def where(path): open(path, "w").write(os.getcwd())
def here(): return os.getcwd()
def helped():
    import beside
    return beside.VALUE
def variables(): return [os.environ["OWN"], os.environ["LONGPOLE_JOB"].split(":")[0]]
def without(): return os.environ.get("OWN", "none")
def names(png, every, mixed): return [png, every, mixed]
def write(value, path): open(path, "w").write(repr(value))
def large(): return "x" * 3_000_000
def size(text): return len(text)
def refuse(value): raise AssertionError(value)
"""

HEAD = """
import steps
from longpole import Workflow

def put(w, name, function, arguments=(), **options):
    w.call(name, function, *arguments, **options)
"""


@pytest.fixture
def driven(tmp_path: Path) -> Driven:
    return Driven(tmp_path).write(steps__py=STEPS, beside__py="VALUE = 'found'")


def described(driven: Driven, lines: str) -> Driven:
    body = "\n".join(f"    {line}" for line in lines.strip().splitlines())
    return driven.write(
        workflow__py=f"{HEAD}\ndef workflow():\n    w = Workflow('calls')\n{body}\n    return w\n"
    )


def made(driven: Driven, name: str) -> object:
    return eval((driven.out / name).read_text())


def test_results_go_to_others_within_lists_and_maps_too(driven: Driven):
    described(
        driven,
        """
put(w, "one", steps.add, arguments=[1, 2], start=3)
put(w, "two", steps.add, arguments=[{"result": "one"}, 4])
put(w, "both", steps.pair, arguments=[{"result": "two"}, {"deep": [{"result": "one"}, "x"]}])
put(w, "end", steps.write, arguments=[{"result": "both"}, "{out}"], outputs={"out": "end"})
""",
    ).drive()

    assert made(driven, "end") == [10, {"deep": [6, "x"]}]
    before = driven.log.planned[driven.number("two")].after
    assert before == (driven.number("one"),)


@pytest.mark.parametrize("cluster", ["", "whole"])
def test_results_are_given_within_a_cluster_and_outside(driven: Driven, cluster: str):
    described(
        driven,
        """
w.set("n", values=["1", "2", "3"])
put(w, "each", steps.size, arguments=["{n}{n}"], for_each=["n"])
put(w, "sum", steps.pair, arguments=[{"result": "each"}, []])
put(w, "end", steps.write, arguments=[{"result": "sum"}, "{out}"], outputs={"out": "end"})
""",
    ).drive(cluster=cluster)

    assert made(driven, "end") == [[2, 2, 2], []]


def test_results_of_a_committed_cluster_are_known_to_who_goes_on(driven: Driven):
    described(
        driven,
        f"""
put(w, "one", steps.add, arguments=[1, 2], cluster="c")
put(w, "two", steps.add, arguments=[{{"result": "one"}}, 4], cluster="c")
w.task("waits", run="test -e {driven.folder}/go; touch {{out}}", outputs={{"out": "went"}})
put(w, "end", steps.write, arguments=[{{"result": "two"}}, "{{out}}"], inputs=["went"],
       outputs={{"out": "end"}})
""",
    ).drive(1, cluster="label", keep_going=True)
    (driven.folder / "go").touch()
    driven.drive(cluster="label")

    assert made(driven, "end") == 7
    group = next(number for number, label in driven.log.groups.items() if label == "c")
    assert driven.log.jobs[group].attempts == 1


def test_each_way_to_fail_is_told_and_a_worker_is_replaced(driven: Driven):
    described(
        driven,
        """
put(w, "fail", steps.fail)
put(w, "leave", steps.leave)
put(w, "odd", steps.odd)
put(w, "die", steps.die)
put(w, "say", steps.say, arguments=["hello"])
w.set("n", values=[str(n) for n in range(20)])
put(w, "good", steps.here, for_each=["n"])
""",
    ).drive(1, keep_going=True)

    assert driven.causes("fail") == ("It raised ValueError: no such thing",)
    assert driven.causes("leave") == ("It raised SystemExit: 4",)
    assert "It returned a value of type object, which is not plain." in driven.causes("odd")[0]
    assert driven.causes("die") == ("The worker process that called it has died.",)
    assert driven.printed("say") == "hello\nbeside\n"
    assert driven.printed("fail").startswith("before\nTraceback")
    assert "longpole" not in driven.printed("fail").replace(str(driven.folder), "")  # the way there is ours
    assert driven.printed("die") == "last words\n"
    assert all(driven.job(f"good n={n}").committed for n in range(20))
    assert not [path for path in (driven.run_path / "output").iterdir() if path.name.startswith(".")]


def test_a_function_runs_in_the_folder_of_its_job_and_finds_its_modules(driven: Driven):
    described(
        driven,
        """
put(w, "where", steps.where, arguments=["{out}"], outputs={"out": "deep/where"})
put(w, "plain", steps.here, retry={"times": 0})
put(w, "helped", steps.helped)
put(w, "end", steps.write, arguments=[[{"result": "helped"}, {"result": "plain"}], "{out}"],
       outputs={"out": "end"})
""",
    ).drive(cores=1)

    scratch = driven.folder / "scratch" / driven.run_id
    assert Path((driven.out / "deep/where").read_text()).parent == scratch
    assert made(driven, "end") == ["found", str(scratch)]


def test_a_function_has_its_variables_and_leaves_none(driven: Driven):
    described(
        driven,
        """
put(w, "with", steps.variables, environment={"OWN": "mine"})
put(w, "without", steps.without)
put(w, "end", steps.write, arguments=[[{"result": "with"}, {"result": "without"}], "{out}"],
       outputs={"out": "end"})
""",
    ).drive(cores=1)

    assert made(driven, "end") == [["mine", driven.run_id], "none"]


def test_names_of_files_come_as_texts_or_lists_and_large_values_too(driven: Driven):
    described(
        driven,
        """
w.set("n", values=["1", "2"])
w.task("touch", run="touch {out}", outputs={"out": "f{n}"}, for_each=["n"])
put(w, "names", steps.names, arguments=["{one}", "{all}", ["{one}!", "{all.list}"]],
       inputs={"one": "f1", "all": "f{n}"})
put(w, "large", steps.large)
put(w, "size", steps.size, arguments=[{"result": "large"}])
put(w, "end", steps.write, arguments=[[{"result": "names"}, {"result": "size"}], "{out}"],
       outputs={"out": "end"})
""",
    ).drive()

    names = ["f1", ["f1", "f2"], ["f1!", ".longpole/names/all.list"]]
    assert made(driven, "end") == [names, 3_000_000]


def test_large_values_of_a_cluster_are_kept_for_who_goes_on(driven: Driven):
    described(
        driven,
        """
for name in ("a", "b"):
    put(w, name, steps.large)
""",
    ).drive(cluster="whole")

    ((number, _),) = driven.log.groups.items()
    assert driven.log.jobs[number].committed
    assert len(bytes.fromhex(driven.log.jobs[number].value)) > 6_000_000
