"""Looks at functions of PyTorch that hooks replace, in the ways that programs do, and prints what it sees."""

import inspect
import pickle
import pickletools
import traceback
import warnings

import torch
import torch.distributed
from torch import nn
from torch.utils.data import DataLoader, Dataset

FUNCTIONS = {
    "save": torch.save,
    "load": torch.load,
    "backward": torch.autograd.backward,
    "init": torch.distributed.init_process_group,
    "iter": DataLoader.__iter__,
}


class Rows(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        warnings.warn("in the data", stacklevel=4)
        return torch.ones(4)


class Warns(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 1)

    def forward(self, inputs):
        warnings.warn("in the model", stacklevel=4)
        if inputs.shape[-1] != 4:
            raise ValueError("four columns are needed")
        return self.inner(inputs)


for name, function in FUNCTIONS.items():
    print(name, function.__module__, function.__qualname__, inspect.signature(function))
    print(len(inspect.getsource(function)), hash(inspect.getdoc(function)) == hash(function.__doc__))
    pickled = pickle.dumps(function)
    print(pickletools.optimize(pickled), pickle.loads(pickled) is function)

warnings.simplefilter("always")
model = Warns()
for inputs in DataLoader(Rows()):
    model(inputs).sum().backward()
for failing in (
    lambda: model(torch.ones(3)),
    lambda: torch.load("/nowhere/model.pt"),
    lambda: torch.save(1, "/nowhere/model.pt"),
    lambda: torch.ones(1).backward(),
    lambda: torch.autograd.backward(None),
    lambda: next(
        iter(DataLoader(Rows(), sampler=[7, "x"], batch_size=None, collate_fn=lambda row: row.absent))
    ),
):
    try:
        failing()
    except Exception:
        traceback.print_exc()
