"""Crisis' models compute the same from the same: on a CPU always, on a GPU as published."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.parts import need
from tests.workflows.crisis.micro import programs

need("torch", "pillow")
CUBLAS = "CUBLAS_WORKSPACE_CONFIG"
# Searches that end at their first file, which is not there.
SEARCHES = {"resnet": ("--images=none",), "bilstm": ("--texts", "none", "none", "none", "--vectors=none")}


@pytest.fixture(autouse=True)
def _as_before(monkeypatch) -> Iterator[None]:
    """Let PyTorch compute as it did, when a test is over."""
    import torch

    monkeypatch.setenv(CUBLAS, "")  # so that it is as it was in the end
    monkeypatch.delenv(CUBLAS)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize(
    ("device", "variant", "repeats"),
    [("cuda", "published", True), ("cuda", "tuned", False), ("cpu", "published", False)],
)
def test_published_asks_a_gpu_for_deterministic_algorithms(name, device, variant, repeats):
    import torch

    told = ["search", *SEARCHES[name], "--out=x", f"--device={device}", f"--variant={variant}"]
    with pytest.raises(FileNotFoundError):
        getattr(programs, name).main(told)

    assert torch.are_deterministic_algorithms_enabled() == repeats
    assert torch.is_deterministic_algorithms_warn_only_enabled() == repeats
    assert (CUBLAS in os.environ) == repeats
