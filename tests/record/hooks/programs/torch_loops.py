"""Trains in loops of many shapes, and prints how many steps of training and of inference that made."""

import signal

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
steps = inferences = 0


def model():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


def step(net, optimizer, inputs):
    global steps  # noqa: PLW0603
    net(inputs).sum().backward()
    optimizer.step()
    steps += 1


class Encoded(Dataset):
    encoder = model()

    def __len__(self):
        return 120

    def __getitem__(self, index):
        with torch.no_grad():
            return torch.ones(4) + self.encoder(torch.ones(4))


class Saving(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = model()

    def forward(self, inputs):
        return checkpoint(self.inner, inputs, use_reentrant=False)


one, other = model(), model()
first = torch.optim.SGD(one.parameters(), lr=0.01)
second = torch.optim.SGD(other.parameters(), lr=0.01)
loader = DataLoader(torch.ones(120, 4))

for inputs in loader:  # two models in turn, as a GAN has them
    step(one, first, inputs)
    step(other, second, inputs)

for inputs in loader:  # two optimizers for one backward pass
    (one(inputs) + other(inputs)).sum().backward()
    first.step()
    second.step()
    steps += 1

for number, inputs in enumerate(loader, 1):  # accumulated gradients
    one(inputs).sum().backward()
    if number % 4 == 0:
        first.step()
        steps += 1

for _ in range(6):  # loops that are left early
    for number, inputs in enumerate(loader):
        step(one, first, inputs)
        if number == 20:
            break

for inputs in loader:  # failures that are caught
    try:
        one(torch.ones(3))
    except RuntimeError:
        pass
    step(one, first, inputs)

for number, inputs in enumerate(loader):  # validation within training
    step(one, first, inputs)
    if number % 30 == 0:
        one.eval()
        with torch.no_grad():
            for batch in loader:
                one(batch)
                inferences += 1
        one.train()

for inputs in DataLoader(Encoded()):  # a model within the data
    step(one, first, inputs)

saving = Saving()
third = torch.optim.SGD(saving.parameters(), lr=0.01)
for inputs in loader:  # parts of the model are computed anew
    step(saving, third, inputs)

signal.signal(signal.SIGALRM, lambda *_: other(torch.ones(4)))
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
for inputs in loader:  # a model that is called in between
    step(one, first, inputs)
signal.setitimer(signal.ITIMER_REAL, 0)

for _ in range(100):  # without a loader, and without a backward pass
    torch.autograd.grad(one(torch.ones(4)).sum(), list(one.parameters()))
    first.step()
    steps += 1
print(steps, inferences)
