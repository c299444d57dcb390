"""Fails in each place where Lightning calls the program, and at last for good; says every time how."""

import logging
import traceback

import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
DATA = DataLoader(TensorDataset(torch.ones(8, 2), torch.ones(8, 1)), batch_size=4)


class Odd(pl.LightningModule):
    """A module that raises in one of its methods."""

    def __init__(self, where):
        super().__init__()
        self.net = torch.nn.Linear(2, 1)
        self.where = where

    def may_break(self, where):
        if self.where == where:
            raise RuntimeError("as meant")

    def forward(self, x):
        self.may_break("forward")
        return self.net(x)

    def training_step(self, batch, index):
        self.may_break("training_step")
        return self(batch[0]).mean()

    def validation_step(self, batch, index):
        self.may_break("validation_step")

    def test_step(self, batch, index):
        self.may_break("test_step")

    def on_train_epoch_start(self):
        self.may_break("on_train_epoch_start")

    def on_train_epoch_end(self):
        self.may_break("on_train_epoch_end")

    def on_after_backward(self):
        self.may_break("on_after_backward")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def trainer():
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    return pl.Trainer(max_epochs=1, accelerator="cpu", enable_checkpointing=False, **quiet)


STEPS = ["forward", "training_step", "validation_step", "on_after_backward"]
for name in [*STEPS, "on_train_epoch_start", "on_train_epoch_end"]:
    try:
        trainer().fit(Odd(name), DATA, DATA)
    except RuntimeError:
        traceback.print_exc()
try:
    trainer().test(Odd("test_step"), DATA, verbose=False)
except RuntimeError:
    traceback.print_exc()
trainer().fit(Odd("training_step"), DATA)
