"""Records, twice, a Lightning that is loaded already; says whether all is as before after each time."""

# ruff: noqa: E402  our package comes in after what it is to look into

import logging
import sys

import lightning.pytorch as pl
import torch

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
DATA = torch.utils.data.DataLoader(torch.ones(12, 2), batch_size=4)


class Small(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(2, 1)

    def training_step(self, batch, index):
        return self.net(batch).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def look():
    """Return all that the hook might change."""
    places = [pl.Trainer, pl.loops._FitLoop, pl.loops._EvaluationLoop, pl.loops._PredictionLoop]
    return [{name: id(value) for name, value in vars(place).items()} for place in places]


def fit():
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    trainer = pl.Trainer(max_epochs=2, accelerator="cpu", enable_checkpointing=False, **quiet)
    trainer.fit(Small(), DATA)


fit()
before = look()

import longpole

for name in ("first", "second"):
    with longpole.record(name, runs=sys.argv[1]):
        print(look() == before)
        fit()
    print(look() == before)
fit()
