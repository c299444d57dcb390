"""Does odd things while hooks look at less; prints how many steps and inferences that made."""

import io
import json
import threading
from unittest import mock

import torch
from torch import fx, nn
from torch.utils.data import DataLoader

torch.set_num_threads(1)
many, few = DataLoader(torch.ones(1500, 4)), DataLoader(torch.ones(150, 4))
made = {"steps": 0, "inferences": 0}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 1)

    def forward(self, inputs):
        return self.inner(inputs)


def train(net, optimizer, inputs):
    optimizer.zero_grad()
    net(inputs).sum().backward()
    optimizer.step()
    made["steps"] += 1


def infer(net, inputs):
    made["inferences"] += 1
    return net(inputs)


def trained(net):
    return torch.optim.SGD(net.parameters(), lr=1e-3)


def late_adversary():
    one, other = Net(), Net()
    first, second = trained(one), trained(other)
    for at, inputs in enumerate(many):
        train(one, first, inputs)
        if at > 1000:
            train(other, second, inputs)


def evaluated_with_gradients():
    net = Net()
    optimizer = trained(net)
    for _ in range(2):
        for inputs in many:
            train(net, optimizer, inputs)
        net.eval()
        for inputs in few:
            infer(net, inputs)
        net.train()


def accumulated_and_left():
    net = Net()
    optimizer = trained(net)
    for at, inputs in enumerate(few, 1):
        net(inputs).sum().backward()
        if at % 4 == 0:
            optimizer.step()
            made["steps"] += 1
    with torch.no_grad():
        for inputs in many:
            infer(net, inputs)


def left_early():
    net = Net()
    with torch.no_grad():
        for at, inputs in enumerate(many):
            infer(net, inputs)
            if at == 1200:
                break
        for _ in range(500):
            infer(net, inputs)


def sampled():
    net, inputs = Net(), next(iter(few))
    with torch.no_grad():
        for _ in range(100):
            infer(net, inputs)


def zipped():
    net = Net()
    with torch.no_grad():
        for _ in range(3):
            for inputs, _ in zip(many, many, strict=True):
                infer(net, inputs)


def saved():
    net = Net()
    with torch.no_grad():
        for inputs in many:
            torch.save(infer(net, inputs), io.BytesIO())
        for _ in range(300):
            infer(net, inputs)


def replaced():
    net = Net()
    theirs = mock.patch.object(type(net), "__call__", lambda self, inputs: self.forward(inputs))
    with torch.no_grad():
        for inputs in many:
            infer(net, inputs)
        with theirs:
            for at, inputs in enumerate(many):
                net(inputs)  # which may be seen or not: it is no call of PyTorch's
                if at == 1200:
                    break
        assert net(inputs).shape == (1, 1)


def traced():
    with torch.no_grad():
        nn.Linear(4, 4)(torch.ones(4))
    nodes = [node.op for node in fx.symbolic_trace(nn.Sequential(nn.Linear(4, 4), nn.ReLU())).graph.nodes]
    assert nodes == ["placeholder", "call_module", "call_module", "output"], nodes


def among_threads():
    net, go = Net(), threading.Event()

    def beside():
        go.wait()
        with torch.no_grad():
            for _ in range(700):
                infer(net, torch.ones(4))

    thread = threading.Thread(target=beside)
    thread.start()
    with torch.no_grad():
        for at, inputs in enumerate(many):
            infer(net, inputs)
            if at == 1000:
                go.set()
                thread.join()


for odd in (
    late_adversary,
    evaluated_with_gradients,
    accumulated_and_left,
    left_early,
    sampled,
    zipped,
    saved,
):
    odd()
for odd in (traced, among_threads):
    odd()
print(json.dumps(made))
replaced()
