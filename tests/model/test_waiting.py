"""Which templates a template waits for: by results, files and sets."""

from __future__ import annotations

from longpole.model.waiting import set_makers, waits_for
from longpole.model.workflow import Call, NamedSet, Result, Template, Workflow
from tests.plan.described import task, tiles, values, workflow


def waited_for(described: Workflow, name: str) -> set[str]:
    made = {
        pattern: template.name
        for template in described.templates.values()
        for uses in template.outputs
        for pattern in uses.patterns
    }

    def makers_of(pattern: str) -> list[str]:
        return [made[pattern]] if pattern in made else []

    return waits_for(described.templates[name], makers_of, set_makers(described, makers_of))


def test_who_uses_files_waits_for_their_makers_and_for_those_of_their_sets():
    assert waited_for(tiles(), "cut") == set()
    assert waited_for(tiles(), "score") == {"cut"}
    assert waited_for(tiles(), "total") == {"cut", "score"}


def test_who_is_fanned_out_over_a_set_waits_for_its_makers_though_it_uses_no_file():
    described = workflow(
        NamedSet("tile", made="tiles/{tile}"),
        values("known", "1"),
        task("cut", made=["tiles/{tile}"]),
        task("look", for_each=(("tile",), ("known",))),
    )

    assert waited_for(described, "look") == {"cut"}


def test_who_takes_a_result_waits_for_who_returns_it():
    described = workflow(
        Template("give", call=Call(len)), Template("take", call=Call(len, (Result("give"),)))
    )

    assert waited_for(described, "take") == {"give"}


def test_a_template_may_wait_for_itself():
    assert waited_for(workflow(task("again", ["state"], ["state"])), "again") == {"again"}
