from __future__ import annotations

import pytest

from longpole.errors import UsageError
from longpole.measure import catalogue
from longpole.measure.catalogue import NAMES, Wishes, entries
from longpole.measure.gpus import Gpus
from longpole.model.resources import RESOURCES


def names(wishes):
    return [name for entry in entries(wishes) for name in entry.names]


def test_nothing_is_measured_twice(tmp_path):
    found = names(Wishes(tmp_path, host="node7"))

    assert len(found) == len(set(found))
    assert set(found) <= set(NAMES)
    assert {"flops", "memory", "disk-read", "cached-write", "metadata", "loopback", "network"} <= set(found)


def test_every_node_resource_can_be_measured():
    assert {name for name, one in RESOURCES.items() if one.level == "node"} <= set(NAMES)


def test_only_what_is_wanted_is_made(tmp_path):
    assert names(Wishes(tmp_path, only=("memory", "process"))) == ["memory", "interpreter", "process"]


def test_with_gpus_the_flops_are_theirs(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "has_gpus", lambda: True)

    found = [entry for entry in entries(Wishes(tmp_path)) if "flops" in entry.names]

    assert [entry.make for entry in found] == [Gpus]


def test_what_is_asked_for_is_tried_even_where_it_seems_absent(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "has_gpus", lambda: False)

    assert names(Wishes(tmp_path, only=("hbm", "import tensorflow"))) == ["hbm", "import tensorflow"]


def test_an_unknown_resource_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match=r"There is no 'warp' to measure; there are cpu, flops"):
        Wishes(tmp_path, only=("warp",))


def test_the_network_needs_another_node(tmp_path):
    with pytest.raises(UsageError, match="give --host"):
        Wishes(tmp_path, only=("network",))


def test_a_host_is_checked_before_anything_is_measured(tmp_path):
    with pytest.raises(UsageError, match="is not a host"):
        Wishes(tmp_path, host="node:x")
