"""Trains a small model, epochs and width as asked; prints how many steps that made, and how long it slept."""

import sys
import time

import torch
from torch import nn

epochs, width, sleep_s = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
torch.set_num_threads(1)
torch.manual_seed(0)


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, index):
        global slept_s  # noqa: PLW0603
        if sleep_s:
            begun = time.monotonic()
            time.sleep(sleep_s)
            slept_s += time.monotonic() - begun
        return torch.full((width,), float(index)), index % 2


model = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 2))
loader = torch.utils.data.DataLoader(Numbers())
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_of = nn.CrossEntropyLoss()
steps = 0
slept_s = 0.0
for _ in range(epochs):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = loss_of(model(inputs.expand(256, -1)), labels.expand(256))
        loss.backward()
        optimizer.step()
        steps += 1
print(steps, slept_s)
torch.save(model.state_dict(), sys.argv[4])
model.load_state_dict(torch.load(sys.argv[4]))
with torch.no_grad():
    for inputs, _ in loader:
        model(inputs)
