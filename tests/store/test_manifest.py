"""Manifests: believed as far as they can be true."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.errors import DamagedRunError, NewerLogError
from longpole.model.manifest import Manifest, State
from longpole.store.manifest import parse_manifest, read_manifest, substitute
from tests.builders import HandmadeRun

LEAST = {"schema_version": 1, "id": "ab", "name": "x"}


def parsed(**facts) -> Manifest:
    return parse_manifest("run.json", json.dumps({**LEAST, **facts}).encode())


def test_a_manifest_is_read_with_all_it_says(tmp_path):
    run = HandmadeRun(tmp_path, launcher={"host": "h", "boot": "b", "pid": 3, "start_ticks": 4}, signal=9)

    manifest = read_manifest(run.path)

    assert (manifest.id, manifest.name, manifest.state) == ("0badcafe", "made", State.FINISHED)
    assert (manifest.command, manifest.launcher.pid, manifest.signal) == (("made", "by", "hand"), 3, 9)


def test_what_a_later_recorder_adds_is_passed_over():
    assert parsed(colour="blue").name == "x"


def test_a_newer_manifest_says_that_longpole_must_be_upgraded():
    with pytest.raises(NewerLogError, match="Upgrade") as caught:
        parsed(schema_version=2, state={"now": "a struct"})

    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    "facts",
    [
        {"schema_version": 0},
        {"schema_version": "1"},
        {"schema_version": None},
        {"id": ""},
        {"id": "../../etc"},
        {"id": 7},
        {"command": "rm -rf"},
        {"command": [1, 2]},
        {"state": "excellent"},
        {"launcher": []},
        {"environment": {"A": 1}},
        {"makespan_s": "long"},
        {"user": 1e300},
    ],
)
def test_a_manifest_of_wrong_types_is_damaged(facts):
    with pytest.raises(DamagedRunError, match=r"run\.json"):
        parsed(**facts)


@pytest.mark.parametrize("seconds", [-1, 1e300])
def test_a_makespan_no_run_can_have_is_not_known(seconds):
    assert parsed(makespan_s=seconds).makespan_s is None


def test_numbers_beyond_all_use_are_not_known():
    manifest = parsed(exit_code=1 << 62, signal=-(1 << 62))

    assert (manifest.exit_code, manifest.signal) == (None, None)


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_damage_and_never_a_failure(data):
    with pytest.raises(DamagedRunError):
        parse_manifest("run.json", data)


@pytest.mark.parametrize(
    "data", [b"[" * 100_000, b'{"schema_version":1,"id":"\xff"}', b"1e999", b"null", b"{}"]
)
def test_hostile_bytes_are_damage(data):
    with pytest.raises(DamagedRunError):
        parse_manifest("run.json", data)


def test_a_manifest_that_is_a_link_a_pipe_or_a_folder_is_damaged(tmp_path):
    for number, make in enumerate((lambda p: p.symlink_to("/etc/passwd"), os.mkfifo, os.mkdir)):
        folder = tmp_path / str(number)
        folder.mkdir()
        make(folder / "run.json")

        with pytest.raises(DamagedRunError):
            read_manifest(folder)


def test_a_huge_manifest_is_not_read(tmp_path):
    with (tmp_path / "run.json").open("wb") as file:
        file.truncate(1 << 40)

    with pytest.raises(DamagedRunError, match="too large"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("folder", "name", "identity"),
    [
        ("20260924T000000Z-train-v2-0badcafe", "train-v2", "0badcafe"),
        ("something", "something", "something"),
    ],
)
def test_a_lost_manifest_is_replaced_by_what_the_folder_says(folder, name, identity):
    manifest = substitute(f"/x/{folder}")

    assert (manifest.name, manifest.id, manifest.state) == (name, identity, State.BROKEN)
