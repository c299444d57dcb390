"""Trains with steps of a few milliseconds, and prints the steps made and whether hooks stepped aside."""

import time

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.set_num_threads(1)
steps = inferences = aside = 0


class Slow(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 1)

    def forward(self, inputs):
        time.sleep(0.002)
        return self.inner(inputs)


def train(net, optimizer, inputs):
    global steps, aside  # noqa: PLW0603
    optimizer.zero_grad()
    net(inputs).sum().backward()
    optimizer.step()
    steps += 1
    aside += not hasattr(torch.autograd.backward, "__wrapped__")


one, other = Slow(), Slow()
first = torch.optim.SGD(one.parameters(), lr=0.01)
second = torch.optim.SGD(other.parameters(), lr=0.01)
loader = DataLoader(torch.ones(150, 4))
few = DataLoader(torch.ones(5, 4))

for _ in range(2):  # epochs alike, each with a look at how it goes in between
    for at, inputs in enumerate(loader):
        train(one, first, inputs)
        if at % 40 == 20:
            with torch.no_grad():
                one(inputs)
            inferences += 1
    with torch.no_grad():
        for batch in few:
            one(batch)
            inferences += 1

regular = aside
for inputs in loader:  # as a GAN: with a backward pass for each optimizer
    train(one, first, inputs)
    train(other, second, inputs)

for at, inputs in enumerate(loader, 1):  # accumulated gradients
    one(inputs).sum().backward()
    if at % 3 == 0:
        first.step()
        steps += 1
print(steps, inferences, regular, aside - regular)
