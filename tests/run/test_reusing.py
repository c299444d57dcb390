"""Data reuse with real runs: what has not changed is not made again, whatever else is."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from longpole.model.workflow import Call, Template, Uses, Workflow
from longpole.plan.expansion import Expansion
from longpole.run.ledger import LEDGER, Ledger
from longpole.run.locations import Locations
from longpole.run.orders import Orders
from longpole.run.reusing import Reuse
from tests.run.driven import Driven

WORKFLOW = """
longpole: 1
name: reuse
tasks:
  one:
    inputs: {src: src.txt}
    code: [tool.sh]
    environment: {LEVEL: low}
    run: "sh tool.sh {src} > {out}; echo $LEVEL >> {out}; mkdir tree; echo 1 > tree/leaf"
    outputs: {out: one.txt, tree: tree/}
  two:
    inputs: {src: one.txt}
    run: "cat {src} > {out}"
    outputs: {out: two.txt}
  call:
    inputs: [two.txt]
    function: "steps:call"
    arguments: [two.txt, call.txt]
    outputs: [call.txt]
"""
STEPS = (
    "def call(source, target): open(target, 'w').write(open(source).read() + str(max([n for n in (1, 2)])))"
)
ALL = {"one", "two", "call"}


@pytest.fixture
def driven(tmp_path: Path) -> Driven:
    made = Driven(tmp_path).write(
        workflow__yaml=WORKFLOW, src__txt="source\n", tool__sh='cat "$1"\n', steps__py=STEPS
    )
    return made.drive()


def again(driven: Driven, **wishes) -> set[str]:
    """Run it as a new run; return which tasks ran."""
    driven.run_id = f"{int(driven.run_id) + 1:08}"
    log = driven.drive(**wishes).log
    ran = {planned.name for number, planned in log.planned.items() if number in log.jobs}
    cached = {log.planned[number].name for number, outcome in log.outcomes.items() if outcome == "cached"}
    assert ran & ALL == {planned.name for planned in log.planned.values()} & ALL - cached
    return ran & ALL


def edit(driven: Driven, old: str, new: str, name: str = "workflow.yaml") -> None:
    path = driven.folder / "described" / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_what_has_not_changed_is_not_made_again(driven: Driven):
    assert again(driven) == set()
    assert again(driven, reuse=False) == ALL
    assert (driven.out / "call.txt").read_text() == "source\nlow\n2"


@pytest.mark.parametrize(
    ("old", "new", "name", "ran"),
    [
        ('"cat {src} > {out}"', '"cat {src} {src} > {out}"', "workflow.yaml", {"two", "call"}),
        ('"cat {src} > {out}"', '"head {src} > {out}"', "workflow.yaml", {"two"}),
        ("LEVEL: low", "LEVEL: high", "workflow.yaml", ALL),
        ('cat "$1"', 'tr a-z A-Z < "$1"', "tool.sh", ALL),
        ("source", "sauce", "src.txt", ALL),
        ("(1, 2)", "(1, 3)", "steps.py", {"call"}),
    ],
    ids=["command", "command, same output", "variable", "code", "input", "function"],
)
def test_what_has_changed_is_made_again_with_what_follows(driven: Driven, old, new, name, ran):
    edit(driven, old, new, name)

    assert again(driven) == ran
    assert again(driven) == set()


def printed(folder: Path, template: Template, container: str = "auto") -> str:
    """Return the fingerprint of the one task of a workflow."""
    workflow = Workflow("w", str(folder), templates={template.name: template})
    expansion = Expansion(workflow, {})
    expansion.expand()
    locations = Locations(workflow, str(folder))
    orders = Orders(expansion, locations, {})
    order = orders.task(0, None)
    Reuse(expansion, orders, locations, Ledger(str(folder), locations.kept), container).look_at(order)
    return order.print


def test_a_task_that_runs_in_another_image_or_in_none_is_another(tmp_path: Path):
    host = Template("t", "true", outputs=(Uses("", ("out",)),))
    one, two = replace(host, image="localhost/one"), replace(host, image="localhost/two")

    prints = [printed(tmp_path, each) for each in (host, one, two)]
    assert len(set(prints)) == 3
    assert [printed(tmp_path, each, "none") for each in (host, one, two)] == [prints[0]] * 3
    assert printed(tmp_path, one, "podman") == prints[1]


def test_a_function_runs_in_no_image(tmp_path: Path):
    call = Template("t", call=Call(edit), outputs=(Uses("", ("out",)),))

    assert printed(tmp_path, replace(call, image="localhost/one")) == printed(tmp_path, call)


def test_a_touched_file_is_the_same_file(driven: Driven):
    os.utime(driven.folder / "described/src.txt", (1, 1))

    assert again(driven) == set()


def test_what_changes_behind_links_in_a_folder_is_noticed(tmp_path: Path):
    """Staging follows them."""
    (tmp_path / "pool").mkdir()
    (tmp_path / "pool/a").write_text("old")
    (tmp_path / "described/data").mkdir(parents=True)
    (tmp_path / "described/data/sub").symlink_to(tmp_path / "pool")
    task = "{inputs: [data/], run: 'cat data/sub/* > {out}', outputs: {out: one.txt}}"
    linked = Driven(tmp_path).write(workflow__yaml=f"longpole: 1\ntasks: {{one: {task}}}\n").drive()

    (tmp_path / "pool/b").write_text("new")

    assert again(linked) == {"one"}
    assert (linked.out / "one.txt").read_text() == "oldnew"


def test_an_output_that_was_removed_or_changed_is_made_again(driven: Driven):
    (driven.kept / "two.txt").unlink()
    assert again(driven) == {"two"}

    (driven.kept / "two.txt").write_text("changed")
    assert again(driven) == {"two"}

    (driven.kept / "tree/leaf").write_text("other")
    assert again(driven) == {"one"}
    assert again(driven) == set()


def test_a_damaged_ledger_costs_what_is_damaged_alone(driven: Driven):
    ledger = driven.folder / "work" / LEDGER
    lines = ledger.read_bytes().splitlines()
    kept = [line for line in lines if b'"two"' not in line]
    ledger.write_bytes(b"\n".join([*kept, b"\xff\x00{", b'{"task": "two", "pri']))

    assert again(driven) == {"two"}
    assert again(driven) == set()
