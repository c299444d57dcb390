"""Infers in short steps for seconds; prints the steps, and how often hooks on modules were in the way."""

import time

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 1)

    def forward(self, inputs):
        return self.inner(inputs)


def wrapped(kind):
    return hasattr(vars(kind).get("__call__"), "__wrapped__")


net = Net()
loader = DataLoader(torch.ones(2000, 4))
steps = looked_at = looked_into = 0
end = time.monotonic() + 5
with torch.no_grad():
    while time.monotonic() < end:
        for inputs in loader:
            net(inputs)
            steps += 1
            looked_at += wrapped(Net)
            looked_into += wrapped(nn.Module)
    for left_at, inputs in enumerate(loader, 1):
        net(inputs)
        steps += 1
        if left_at == 1500:
            break
labels = [len(inputs) for inputs in loader]  # nothing is inferred here
print(steps, len(labels), looked_at / steps, looked_into / steps)
