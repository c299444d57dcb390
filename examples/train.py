"""A small training as people write them, in plain PyTorch: tell spiral galaxies from elliptical ones.

The images are drawn when they are asked for, with noise, so that a step waits for its data as it does with
images on a disk. Nothing in here knows that it may be recorded.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SIZE = 48
# A pixel is the mean of so many times so many points, so that arms have soft edges.
POINTS = 8


class Galaxies(Dataset):
    """Images of galaxies: every second one has two arms."""

    def __init__(self, count: int, seed: int) -> None:
        self.count, self.seed = count, seed
        axis = torch.linspace(-1, 1, SIZE * POINTS)
        self.y, self.x = torch.meshgrid(axis, axis, indexing="ij")

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        chance = torch.Generator().manual_seed(self.seed + index)
        tilt, turn, size, wind = torch.rand(4, generator=chance).tolist()
        sine, cosine = math.sin(6.28 * turn), math.cos(6.28 * turn)
        x, y = self.x * cosine + self.y * sine, self.y * cosine - self.x * sine
        radius = torch.hypot(x, y / (0.5 + tilt / 2))
        light = torch.exp(-radius / (0.15 + 0.2 * size))
        if index % 2:
            angle = torch.atan2(y, x)
            light = light * (1 + 0.9 * torch.cos(2 * angle - (6 + 6 * wind) * radius))
        noise = torch.randn(SIZE, SIZE, generator=chance)
        return nn.functional.avg_pool2d(light[None], POINTS) + 0.12 * noise, index % 2


class Net(nn.Module):
    """Three convolutions and a judgement."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(*block(1, 16), *block(16, 32), *block(32, 64), nn.AdaptiveAvgPool2d(1))
        self.judge = nn.Linear(64, 2)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.judge(self.features(images).flatten(1))


def block(before: int, after: int) -> list[nn.Module]:
    return [nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(), nn.MaxPool2d(2)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where checkpoints go")
    parser.add_argument("--images", type=int, default=1200)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=0, help="processes that draw images ahead")
    given = parser.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(1)
    training = DataLoader(Galaxies(given.images, 0), batch_size=32, shuffle=True, num_workers=given.workers)
    validation = DataLoader(Galaxies(given.images // 4, 1_000_000), batch_size=32)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    loss_of = nn.CrossEntropyLoss()
    for epoch in range(given.epochs):
        train(model, training, optimizer, loss_of)
        right = evaluate(model, validation)
        torch.save(model.state_dict(), given.folder / f"epoch-{epoch}.pt")
        print(f"epoch {epoch + 1}: {right:.1%} of {len(validation.dataset)} galaxies told apart", flush=True)


def train(model: Net, batches: DataLoader, optimizer: torch.optim.Optimizer, loss_of: nn.Module) -> None:
    model.train()
    for images, kinds in batches:
        optimizer.zero_grad()
        loss = loss_of(model(images), kinds)
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model: Net, batches: DataLoader) -> float:
    model.eval()
    right = sum(int((model(images).argmax(1) == kinds).sum()) for images, kinds in batches)
    return right / len(batches.dataset)


if __name__ == "__main__":
    main()
