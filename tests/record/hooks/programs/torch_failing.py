"""Fails where its argument says: in the data, the model, the backward pass, the optimizer or a checkpoint."""

import sys

import torch
from torch import nn

where = sys.argv[1]


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        if where == "data" and index == 5:
            raise ValueError("no such row")
        return torch.ones(4), 1


class Inner(nn.Module):
    calls = 0

    def forward(self, inputs):
        Inner.calls += 1
        if where == "model" and Inner.calls == 4:
            raise ValueError("bad weather")
        return Square.apply(inputs)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(context, inputs):
        return inputs * inputs

    @staticmethod
    def backward(context, gradient):
        if where == "backward" and Inner.calls == 4:
            raise ValueError("no way back")
        return gradient


class Careless(torch.optim.SGD):
    def step(self, closure=None):
        if where == "optimizer" and Inner.calls == 4:
            raise ValueError("wrong step")
        return super().step(closure)


model = nn.Sequential(nn.Linear(4, 4), Inner())
optimizer = Careless(model.parameters(), lr=0.1)
for inputs, _ in torch.utils.data.DataLoader(Data()):
    optimizer.zero_grad()
    model(inputs).sum().backward()
    optimizer.step()
if where == "checkpoint":
    torch.save(model.state_dict(), "/nowhere/model.pt")
