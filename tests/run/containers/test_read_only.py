"""Inputs are made read-only by few mounts, and outputs can always be written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.run.containers.read_only import MOST_MOUNTS, left_writable, read_only_mounts

PARTS = st.sampled_from(["a", "b", "c d", "ü"])
NAMES = st.lists(PARTS, min_size=1, max_size=4).map("/".join)
FILES_AND_FOLDERS = st.builds(lambda name, end: name + end, NAMES, st.sampled_from(["", "/"]))
PATTERNS = st.builds(
    lambda name, end: name + end, NAMES, st.sampled_from(["", "/", "/{x}", "{x}.txt", "/{x}/y"])
)


def test_thousands_of_inputs_in_one_directory_are_one_mount() -> None:
    inputs = [f"tiles/{number}.png" for number in range(28_793)]

    mounts = read_only_mounts(inputs, ["scores/{tile}.txt", "total.txt"])

    assert mounts == ("tiles/",)
    assert left_writable(inputs, mounts) == ()


def test_inputs_beside_an_output_are_mounted_one_by_one_up_to_a_bound() -> None:
    inputs = [f"tiles/{number}.png" for number in range(1000)]

    mounts = read_only_mounts(inputs, ["tiles/index.txt"])

    assert len(mounts) == MOST_MOUNTS
    assert len(left_writable(inputs, mounts)) == 1000 - MOST_MOUNTS


def test_whole_directories_come_before_single_files() -> None:
    inputs = [f"file{number}" for number in range(1000)] + ["z/a", "z/b"]

    assert "z/" in read_only_mounts(inputs, ["out"])


def test_the_topmost_directory_without_outputs_is_taken() -> None:
    assert read_only_mounts(["in/x/a", "in/y/b", "out/x/c", "out/y/d"], ["out/y/e"]) == (
        "in/",
        "out/x/",
        "out/y/d",
    )


def test_files_at_the_top_are_mounted_by_themselves() -> None:
    assert read_only_mounts(["a", "b"], []) == ("a", "b")


def test_an_input_that_is_an_output_too_stays_writable() -> None:
    assert read_only_mounts(["checkpoint", "data/x"], ["checkpoint"]) == ("data/",)
    assert left_writable(["checkpoint", "data/x"], ("data/",)) == ("checkpoint",)


def test_a_directory_in_which_outputs_may_appear_stays_writable() -> None:
    assert read_only_mounts(["work/"], ["work/{x}.png"]) == ()
    assert read_only_mounts(["work/deep/a"], ["work/"]) == ()
    assert read_only_mounts(["run1/a", "other/b"], ["run{n}/out"]) == ("other/", "run1/a")


@given(st.lists(FILES_AND_FOLDERS), st.lists(PATTERNS))
def test_no_output_lies_in_a_mount_and_no_input_is_lost(inputs: list[str], outputs: list[str]) -> None:
    mounts = read_only_mounts(inputs, outputs)

    made = [output.replace("{x}", value) for output in outputs for value in ("a", "b/c", "q")]
    made += [output + "new" for output in made if output.endswith("/")]
    assert not [
        (mount, name)
        for mount in mounts
        for name in made
        if name == mount or (mount[-1] == "/" and name.startswith(mount))
    ]
    kept = {
        name
        for name in inputs
        if any(name == mount or (mount[-1] == "/" and name.startswith(mount)) for mount in mounts)
    }
    assert set(left_writable(inputs, mounts)) == set(inputs) - kept


@given(st.lists(FILES_AND_FOLDERS, unique=True))
def test_without_outputs_everything_is_kept_by_mounts_that_do_not_overlap(inputs: list[str]) -> None:
    mounts = read_only_mounts(inputs, [])

    assert left_writable(inputs, mounts) == ()
    assert not [(a, b) for a in mounts for b in mounts if a != b and a.endswith("/") and b.startswith(a)]
