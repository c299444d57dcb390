"""A real training that waits for its data: found, mended as advised, and as much faster as predicted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from longpole.app.explaining import explain_run
from longpole.model.explanation import Explanation
from tests.parts import need
from tests.recording import Someone

PROGRAM = """
import sys, time
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Slow(Dataset):
    def __len__(self):
        return 8 * 120
    def __getitem__(self, index):
        time.sleep(0.008)
        return torch.full((256,), float(index % 7)), index % 10

torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 10))
optimizer, loss = torch.optim.SGD(model.parameters(), lr=1e-3), nn.CrossEntropyLoss()
for images, labels in DataLoader(Slow(), batch_size=8, num_workers=int(sys.argv[1])):
    optimizer.zero_grad()
    loss(model(images), labels).backward()
    optimizer.step()
    time.sleep(0.02)
"""


# Others may use the machine while one of two runs is recorded, and not while the other is.
_TRIES = 3


@pytest.fixture
def program(tmp_path: Path) -> Path:
    need("torch")
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    return file


def test_the_loader_is_the_first_finding_and_its_advice_gains_what_was_predicted(
    user: Someone, program: Path
) -> None:
    tries = []
    for _ in range(_TRIES):
        before = explained(user, program, workers=0)
        first = before.findings[0]
        workers = re.search(r"num_workers=(\d+)", first.advice)
        after = explained(user, program, workers=int(workers[1]) if workers else 0)
        predicted_s = (before.makespan_s or 0.0) - first.saving_s
        tries.append((first.rule, predicted_s, after.makespan_s, after.findings[:1]))
        if first.rule == "data-loading" and predicted_s == pytest.approx(after.makespan_s, rel=0.15):
            assert "data-loading" not in {finding.rule for finding in after.findings[:1]}
            return
    pytest.fail(f"not as predicted: {tries}")


def test_blame_of_a_real_training_sums_to_its_makespan_with_hardly_anything_unnamed(
    user: Someone, program: Path
) -> None:
    found = explained(user, program, workers=0)

    unnamed = sum(one.seconds for one in found.blame if one.kind == "idle")
    assert sum(one.seconds for one in found.blame) == pytest.approx(found.makespan_s, rel=1e-6)
    assert unnamed <= 0.02 * (found.makespan_s or 0.0)
    assert (found.self_replay_error or 0.0) <= 0.03


def explained(user: Someone, program: Path, workers: int) -> Explanation:
    recorded = user.record(user.python, str(program), str(workers))
    assert recorded.returncode == 0, recorded.stderr
    with user.latest() as run:
        return explain_run(run).explanation
