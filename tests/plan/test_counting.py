from __future__ import annotations

from hypothesis import given

from longpole.model.plan import RULES, Clustering, Grouping, Placement
from longpole.model.workflow import Place, Template, Uses
from longpole.plan.clusters import Clusters
from longpole.plan.counting import Counting
from longpole.plan.expansion import Expansion
from longpole.plan.jobs import jobs_of
from longpole.plan.outside import Outside
from tests.plan.described import task, tiles, values, workflow
from tests.plan.test_expansion import chains

WHOLE = Clustering(Grouping.WHOLE)
BASELINE, CLUSTERED = RULES[Placement.BASELINE], RULES[Placement.CLUSTERING]


def counting(described, clustering=None):
    expansion = Expansion(described, {})
    expansion.expand()
    jobs = jobs_of(expansion, Clusters(clustering or Clustering(), expansion))
    return Counting(expansion, jobs, Outside(described))


def small(**more):
    """Return a workflow worked out by hand: two tasks that each use an input, the program and an image."""
    both = {"image": "i.sqfs", "code": ("c.py",), "checkpoints": ("{n}.ckpt",)}
    return workflow(
        values("n", "1", "2"),
        task("one", ["{n}.in", "all.in"], ["{n}.mid"], for_each=(("n",),), program="one.py", **both),
        task("two", ["{n}.mid", "all.in"], ["out", "extra"], program="two.py", image="i.sqfs"),
        results=("out",),
        **more,
    )


def test_the_rule_counts_inputs_checkpoints_code_programs_and_images_of_every_job():
    # one: 2 x (2 inputs, code, checkpoint, program, image); two: 2 intermediates, 1 input, program, image
    assert counting(small()).files_staged_in(BASELINE).value == 2 * 6 + 5


def test_the_rule_leaves_programs_out_on_a_shared_file_system():
    assert counting(small()).files_staged_in(RULES[Placement.SHARED_FS]).value == 2 * 5 + 4


def test_the_rule_counts_of_a_cluster_what_comes_from_outside_it_once():
    # 1.in, 2.in, all.in; c.py; 2 checkpoints; 2 programs; 1 image
    assert counting(small(), WHOLE).files_staged_in(CLUSTERED).value == 3 + 1 + 2 + 2 + 1


def test_the_rule_counts_a_program_for_each_kind_of_task_and_the_truth_counts_it_once():
    described = workflow(
        values("n", "1", "2"),
        task("search", ["{n}.in"], ["{n}.best"], for_each=(("n",),), program="model.py"),
        task("train", ["{n}.best"], ["out"], program="model.py"),
    )

    # 1.in and 2.in; search and train, though they are one program
    assert counting(described, WHOLE).files_staged_in(CLUSTERED).value == 2 + 2
    assert counting(described, WHOLE).brought(CLUSTERED).files.value == 2 + 1
    assert (
        counting(described).files_staged_in(BASELINE).value
        == counting(described).brought(BASELINE).files.value
    )
    assert counting(described, WHOLE).files_staged_in(RULES[Placement.SHARED_FS]).value == 2


def test_links_move_nothing():
    for placement in (Placement.LINKS, Placement.SHARED_FS):
        found, rules = counting(small()), RULES[placement]
        assert (found.brought(rules).files.value, found.sent(rules).moved_bytes.value) == (0, 0)


def test_checkpoints_that_are_not_there_are_not_brought():
    assert counting(small()).brought(BASELINE).files.value == 2 * 5 + 5


def test_an_image_that_is_installed_is_not_brought():
    installed = RULES[Placement.CONTAINER_INSTALLED]

    assert counting(small()).brought(installed).files.value == 2 * 5 + 5 - 3
    assert counting(small()).files_staged_in(installed) == counting(small()).files_staged_in(BASELINE)


def test_all_outputs_of_single_tasks_are_sent():
    assert counting(small()).sent(BASELINE).files.value == 2 * (1 + 1) + 2, "checkpoints too"


def test_a_cluster_sends_results_and_keeps_what_only_it_uses():
    assert counting(small(), WHOLE).sent(CLUSTERED).files.value == 1 + 2


def test_without_results_a_cluster_sends_what_nobody_uses():
    described = workflow(task("a", made=["1", "log"]), task("b", ["1"], ["2"]))

    assert counting(described, WHOLE).sent(CLUSTERED).files.value == 2


def test_a_cluster_sends_what_others_use():
    described = workflow(
        task("a", made=["1"], cluster="x"),
        task("b", ["1"], ["2"], cluster="x"),
        task("c", ["1"]),
        results=("2",),
    )

    found = counting(described, Clustering(Grouping.LABEL)).sent(CLUSTERED)

    assert found.files.value == 2


def test_bytes_are_known_where_every_size_is():
    sizes = dict.fromkeys(("1.in", "2.in", "all.in", "c.py", "one.py", "two.py", "1.mid", "2.mid"), 10)
    files = {name: Place(size_bytes=size) for name, size in sizes.items()}

    some = counting(small(files=files)).brought(BASELINE).moved_bytes
    every = counting(small(files={**files, "i.sqfs": Place(size_bytes=1000)})).brought(BASELINE).moved_bytes

    assert (some.value, some.at_least) == (None, 10 * (2 * 4 + 4))
    assert every.value == 10 * (2 * 4 + 4) + 3 * 1000


def test_what_is_known_during_the_run_only_is_at_least_so_much():
    found = counting(tiles())

    assert found.files_staged_in(BASELINE).value is None
    assert found.files_staged_in(BASELINE).at_least == 2
    assert found.sent(BASELINE).files.value is None
    assert found.brought(RULES[Placement.LINKS]).files.value == 0, (
        "links move nothing, however many there are"
    )


def test_optional_outputs_are_not_counted_on():
    described = workflow(
        Template("a", command="a", outputs=(Uses("", ("1",)), Uses("", ("2",), optional=True)))
    )

    found = counting(described).sent(BASELINE).files

    assert (found.value, found.at_least) == (None, 1)


def test_missing_files_are_counted(tmp_path):
    (tmp_path / "1.in").write_text("x")

    assert counting(small(folder=str(tmp_path))).outside_files() == (6, 5)


@given(chains())
def test_a_cluster_of_all_stages_in_what_comes_from_outside(described):
    whole = counting(described, WHOLE).files_staged_in(CLUSTERED).value
    alone = counting(described).files_staged_in(BASELINE).value

    expansion = Expansion(described, {})
    expansion.expand()
    assert whole == len(expansion.outside)
    assert alone is not None
    assert alone >= len(expansion.outside)
