"""A training loop that other programs here run, of as many steps as they say."""

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


def train(steps, model=None, **loading):
    """Train for one epoch of so many steps; return the loss of the last one."""
    torch.manual_seed(0)
    model = model or torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = TensorDataset(torch.randn(4 * steps, 4), torch.randn(4 * steps, 1))
    for inputs, wanted in DataLoader(data, batch_size=4, **loading):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(inputs), wanted)
        loss.backward()
        optimizer.step()
    return loss.item()
