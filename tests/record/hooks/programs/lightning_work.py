"""Trains with Lightning in the ways it is told, and prints all that comes out, to the last bit."""

import hashlib
import importlib
import sys
import tempfile
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

LIBRARY, *WAYS = sys.argv[1:]
pl = importlib.import_module(LIBRARY)
OPTIONS = {"accumulate": {"accumulate_grad_batches": 2}, "often": {"val_check_interval": 2}}
X = torch.arange(160.0).reshape(40, 4) / 160
Y = X.sum(1, keepdim=True)


class Stream(IterableDataset):
    """Samples whose number nobody knows: Lightning fetches one batch ahead."""

    def __iter__(self):
        return iter(zip(X, Y, strict=True))


class Small(pl.LightningModule):
    """A model with two layers."""

    def __init__(self, way):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1))
        self.automatic_optimization = way != "manual"
        self.way = way
        self.losses = []

    def forward(self, x):
        time.sleep(0.01 if self.way == "slow" else 0)
        return self.net(x)

    def training_step(self, batch, index):
        if self.automatic_optimization:
            return self.loss(batch)
        for optimizer in self.optimizers():
            optimizer.zero_grad()
            self.manual_backward(self.loss(batch))
            optimizer.step()
        return None

    def loss(self, batch):
        loss = torch.nn.functional.mse_loss(self(batch[0]), batch[1])
        self.losses.append(loss.item())
        return loss

    def validation_step(self, batch, index):
        self.log("validation", self.loss(batch))

    def test_step(self, batch, index):
        self.log("test", self.loss(batch))

    def predict_step(self, batch, index):
        return self(batch[0])

    def configure_optimizers(self):
        if not self.automatic_optimization:
            return [torch.optim.SGD(self.net[layer].parameters(), 0.1) for layer in (0, 2)]
        return (torch.optim.LBFGS if self.way == "lbfgs" else torch.optim.Adam)(self.parameters())


def checkpoints(folder):
    """Return the names and digests of what was saved, and remove it."""
    found = []
    for path in sorted(folder.rglob("*.ckpt")):
        found.append((path.name, hashlib.sha256(path.read_bytes()).hexdigest()))
        path.unlink()
    return found


def train(way):
    pl.seed_everything(5, verbose=False)
    known = DataLoader(TensorDataset(X, Y), batch_size=8)
    folder = Path(tempfile.gettempdir()) / f"longpole-{LIBRARY}"
    trainer = pl.Trainer(
        max_epochs=2,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        callbacks=[pl.callbacks.ModelCheckpoint(folder, save_top_k=-1)],
        **OPTIONS.get(way, {}),
    )
    model = Small(way)
    trainer.fit(model, DataLoader(Stream(), batch_size=8) if way == "stream" else known, known)
    print("way", way, trainer.global_step)
    print(checkpoints(folder), [type(callback).__name__ for callback in trainer.callbacks])
    if way == "plain":
        print(trainer.validate(model, known), trainer.test(model, known))
        print(torch.cat(trainer.predict(model, known)).sum().item())
    print(model.losses, torch.rand(1), len(model.state_dict()))


for way in WAYS:
    train(way)
