"""Sets whose members lie within those of another, and outputs that have names before a task runs."""

from __future__ import annotations

import pytest

from longpole import Workflow
from longpole.describe.load import load_workflow
from longpole.model.workflow import WorkflowError

DEALT = """
longpole: 1
name: dealt
parameters: {ending: jpg}
sets:
  part: {values: [1, 2]}
  image: {values: {1: [a, "b-{ending}"], 2: [c]}, within: part}
tasks:
  shrink:
    for_each: [part]
    inputs: {images: "raw/{image}"}
    run: "shrink {images}"
    outputs: ["small/{image}"]
"""


def load(tmp_path, text):
    (tmp_path / "workflow.yaml").write_text(text)
    return load_workflow(tmp_path)


def test_members_are_listed_for_each_member_of_another_set(tmp_path):
    image = load(tmp_path, DEALT).sets["image"]

    assert image.grouped == {"1": ("a", "b-jpg"), "2": ("c",)}
    assert (image.within, image.values) == ("part", None)
    assert image.listed == ("a", "b-jpg", "c")


def test_a_program_describes_the_same(tmp_path):
    described = Workflow("dealt", tmp_path)
    described.set("part", values=["1", "2"])
    described.set("image", values={"1": ["a", "b-jpg"], "2": ["c"]}, within="part")
    described.task(
        "shrink",
        "shrink {images}",
        for_each="part",
        inputs={"images": "raw/{image}"},
        outputs=["small/{image}"],
    )

    image = described.build().sets["image"]

    assert image.grouped == load(tmp_path, DEALT).sets["image"].grouped
    assert image.within == "part"


def test_one_task_may_make_files_for_all_members_of_a_known_set(tmp_path):
    text = DEALT.replace("for_each: [part]", "for_each: []")

    assert load(tmp_path, text).templates["shrink"].outputs[0].patterns == ("small/{image}",)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{1: [a, \"b-{ending}\"], 2: [c]}", "[a, b]", "With 'within', this must be a map"),
        ("within: part}", "within: prat}", "There is no set 'prat'"),
        ("{1: [a, \"b-{ending}\"], 2: [c]}", "{1: [a], 3: [c]}", "'3' is no member of 'part'"),
        ("{1: [a, \"b-{ending}\"], 2: [c]}", "{1: [a, a]}", "'a' is there twice"),
        ("{1: [a, \"b-{ending}\"], 2: [c]}", "{1: 5}", "This must be a list"),
        ("within: part}", "glob: \"{image}\", within: part}", "has both"),
        ("outputs: [\"small/{image}\"]", "outputs: [small.tar]", "its tasks would overwrite each other"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_with_its_line(tmp_path, old, new, words):
    assert old in DEALT

    with pytest.raises(WorkflowError, match=r"workflow\.yaml:\d+: ") as caught:
        load(tmp_path, DEALT.replace(old, new))

    assert words in str(caught.value)
