from __future__ import annotations

import subprocess
import sys

import pytest

from longpole.measure import gpus
from longpole.measure.gpus import Gpus, has_gpus
from longpole.measure.probe import UnmeasurableError
from tests.parts import need

TWO = """
import json, sys
print(json.dumps({"gpus": ["Made", "Made"]}), flush=True)
for _ in sys.stdin:
    print(json.dumps({"bf16": 4.0, "flops": 3.0, "hbm": 2.0, "pcie": 1.0}), flush=True)
"""
DIES = """
import json
print(json.dumps({"gpus": ["Made"]}), flush=True)
"""


@pytest.fixture
def script(monkeypatch):
    """Let another script stand in for the process with PyTorch."""
    real = subprocess.Popen
    monkeypatch.setattr(gpus, "is_installed", lambda _: True)

    def use(text):
        monkeypatch.setattr(
            subprocess, "Popen", lambda _command, **options: real([sys.executable, "-c", text], **options)
        )

    return use


def test_a_driver_shows_by_its_device(tmp_path):
    assert not has_gpus(tmp_path)
    (tmp_path / "nvidiactl").touch()
    assert has_gpus(tmp_path)


def test_a_trial_has_what_the_process_tells(script):
    script(TWO)
    probe = Gpus()

    found = probe.trial()

    probe.close()
    assert found == {"gpu": 2.0, "bf16": 4.0, "flops": 3.0, "hbm": 2.0, "pcie": 1.0}
    assert probe.how == "sum over 2 x Made, one at a time, by PyTorch"


@pytest.mark.parametrize("text", [DIES, "raise SystemExit(1)", "print('no JSON')"])
def test_a_process_that_dies_does_not_end_us(script, text):
    script(text)

    with pytest.raises(UnmeasurableError, match="has failed"):
        Gpus()


def test_without_pytorch_it_says_so(monkeypatch):
    monkeypatch.setattr(gpus, "is_installed", lambda _: False)

    with pytest.raises(UnmeasurableError, match="no PyTorch to measure GPUs"):
        Gpus()


def test_a_pytorch_that_sees_no_gpu_says_so(monkeypatch):
    need("torch")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")

    with pytest.raises(UnmeasurableError, match="sees no GPU"):
        Gpus()


@pytest.mark.parametrize("text", ["input()", "print('{', end='', flush=True); input()"])
def test_a_driver_that_is_stuck_from_the_first_is_given_up(script, monkeypatch, text):
    script(text)
    monkeypatch.setattr(gpus, "_LONGEST_S", 0.1)

    with pytest.raises(UnmeasurableError, match=r"has not answered for 0\.1 s"):
        Gpus()


def test_a_driver_that_gets_stuck_is_given_up(script, monkeypatch):
    script(TWO + "    input()")
    probe = Gpus()
    monkeypatch.setattr(gpus, "_LONGEST_S", 0.1)

    with pytest.raises(UnmeasurableError, match=r"has not answered for 0\.1 s"):
        probe.trial()
    probe.close()
