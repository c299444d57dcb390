"""GPUs by NVML; the library is played here, since the tests' machines have no GPU."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from longpole.log.files import LogWriter
from longpole.log.frames import SLOTS
from longpole.log.slots import GAUGE_LAYOUT
from longpole.record.journal import Journal
from longpole.record.samplers import gpu
from longpole.record.samplers.tree import Tree
from tests.log.reading import frames_of

OURS, THEIRS = 42, 43


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """One GPU, 80 % busy, of which our process has 30 %."""
    answers: dict[str, Any] = {
        "nvmlInit": None,
        "nvmlDeviceGetCount": 1,
        "nvmlDeviceGetHandleByIndex": "handle",
        "nvmlDeviceGetName": b"NVIDIA Test",
        "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=1000, used=600),
        "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=80, memory=20),
        "nvmlDeviceGetPowerUsage": 350_000,
        "nvmlDeviceGetSamples": pynvml.NVMLError_NotSupported,
        "nvmlDeviceGetComputeRunningProcesses": [
            SimpleNamespace(pid=OURS, usedGpuMemory=100),
            SimpleNamespace(pid=THEIRS, usedGpuMemory=500),
        ],
        "nvmlDeviceGetProcessUtilization": [
            SimpleNamespace(pid=OURS, timeStamp=5, smUtil=30, memUtil=10),
            SimpleNamespace(pid=THEIRS, timeStamp=6, smUtil=50, memUtil=10),
        ],
    }

    def answering(name: str) -> Any:
        def call(*_: Any) -> Any:
            if isinstance(answers[name], type):
                raise answers[name]
            return answers[name]

        return call

    for name in answers:
        monkeypatch.setattr(pynvml, name, answering(name))
    return answers


def sampled(tmp_path: Path, times: int = 1) -> list[tuple[Any, ...]]:
    """Return the values of the device and of the run on it, of each time that they were sampled."""
    (tmp_path / "log").mkdir()
    log = LogWriter(str(tmp_path), 0)
    journal = Journal(log, 1_000_000)
    tree = Tree(journal, 0, 0)
    tree.members[OURS] = SimpleNamespace(number=1)  # type: ignore[assignment]
    sampler = gpu.GpuSampler(journal, tree)
    for second in range(times):
        sampler.sample((second + 1) * 1_000_000_000)
    journal.flush()
    [frame] = [frame for frame in frames_of(log.path) if frame.kind == SLOTS]
    return [GAUGE_LAYOUT.unpack_from(frame.payload, at)[6:10] for at in range(0, len(frame.payload), 64)]


def test_device_and_run_are_told_apart(nvml: dict[str, Any], tmp_path: Path) -> None:
    device, run = sampled(tmp_path)

    assert device == (0.8, 0.2, 600.0, 350.0)
    assert run == (0.3, 0.1, 100.0, 1.0)


def test_device_is_as_busy_as_all_looks_of_the_driver_say(nvml: dict[str, Any], tmp_path: Path) -> None:
    looks = iter([[(1, 70)], [(1, 70), (2, 0), (3, 100), (4, 20)]])

    def answer(*_: Any) -> Any:
        found = [(at, SimpleNamespace(uiVal=busy)) for at, busy in next(looks)]
        return 0, [SimpleNamespace(timeStamp=at, sampleValue=value) for at, value in found]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pynvml, "nvmlDeviceGetSamples", answer)
        values = sampled(tmp_path, times=2)

    assert (values[0][0], values[2][0]) == (0.8, 0.4)


def test_nobody_on_the_device_is_not_busy_rather_than_unknown(nvml: dict[str, Any], tmp_path: Path) -> None:
    nvml["nvmlDeviceGetProcessUtilization"] = pynvml.NVMLError_NotFound

    assert sampled(tmp_path)[1][:2] == (0.0, 0.0)


def test_what_a_driver_does_not_know_is_unknown(nvml: dict[str, Any], tmp_path: Path) -> None:
    for name in (
        "nvmlDeviceGetProcessUtilization",
        "nvmlDeviceGetUtilizationRates",
        "nvmlDeviceGetPowerUsage",
    ):
        nvml[name] = pynvml.NVMLError_NotSupported

    device, run = sampled(tmp_path)

    assert [value != value for value in device] == [True, True, False, True]
    assert [value != value for value in run[:2]] == [True, True]
