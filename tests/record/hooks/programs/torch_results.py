"""Trains in many ways, and prints all that must not depend on whether somebody is watching."""

import copy
import hashlib
import inspect
import io
import pickle
import random
import warnings

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(7)
random.seed(7)


def digest(*tensors):
    return hashlib.sha256(b"".join(tensor.detach().numpy().tobytes() for tensor in tensors)).hexdigest()[:16]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 32), nn.Dropout(0.3), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, inputs):
        warnings.warn("from forward", stacklevel=4)
        return self.layers(inputs)


class Lying(IterableDataset):
    def __len__(self):
        return 1

    def __iter__(self):
        return iter(range(3))


data = TensorDataset(torch.randn(60, 8), torch.randint(0, 3, (60,)))
loader = DataLoader(data, batch_size=10, shuffle=True)
net, loss_of = Net(), nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
for _ in range(2):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = loss_of(net(inputs), labels)
        loss.backward()
        optimizer.step()
        print(repr(loss.item()))
    schedule.step()
print(digest(*net.parameters()), digest(torch.get_rng_state()), random.random())

lbfgs = torch.optim.LBFGS(net.parameters(), max_iter=3)
inputs, labels = data[:20]


def closure():
    lbfgs.zero_grad()
    loss = loss_of(net(inputs), labels)
    loss.backward()
    return loss


print(repr(lbfgs.step(closure).item()))

for batch in DataLoader(Lying()):
    print(batch)

file = io.BytesIO()
torch.save(net, file)
print(len(file.getvalue()))
file.seek(0)
again = torch.load(file, weights_only=False)
print(digest(*again.parameters()), digest(*copy.deepcopy(net).parameters()))
print(sorted(vars(net)), inspect.signature(torch.save), inspect.signature(torch.autograd.backward))
print(pickle.loads(pickle.dumps(torch.autograd.backward)) is torch.autograd.backward)
scripted = torch.jit.trace(net.layers.eval(), inputs)
print(digest(scripted(inputs)), net.train() is net)
compiled = torch.compile(net.layers, backend="eager", fullgraph=True)
print(digest(compiled(inputs)))


@torch.compile(backend="eager", fullgraph=True)
def whole(inputs):
    return net.layers(inputs).sum()


print(digest(whole(inputs)))


@torch.compile(backend="eager")
def train_step(inputs, labels):
    loss_of(net.layers(inputs), labels).backward()


train_step(inputs, labels)
print(digest(net.layers[0].weight.grad))
