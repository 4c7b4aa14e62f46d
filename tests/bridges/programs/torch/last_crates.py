"""Weighs crates of apples with a compiled net; the loader's last batch is smaller than the others."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Crates(Dataset):
    def __init__(self, count=10):
        self.views = torch.cos(torch.arange(count * 5.0) * 0.66).view(count, 5)

    def __len__(self):
        return len(self.views)

    def __getitem__(self, index):
        return self.views[index], self.views[index].abs().sum()


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 8), nn.GELU(), nn.Linear(8, 1))
        self.offset = nn.Parameter(torch.zeros(1))

    def forward(self, views):
        return self.net(views).squeeze(1) + self.offset


def make_step(scale, optimizer):
    @torch.compile(backend="eager", dynamic=False)
    def error(views, weights):
        return (scale(views) - weights).square().mean()

    def step(views, weights):
        optimizer.zero_grad(set_to_none=True)
        loss = error(views, weights)  #!
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def train(**options):
    torch.manual_seed(30)
    scale = Scale()
    optimizer = torch.optim.SGD(scale.parameters(), lr=0.02, momentum=0.8)
    step = make_step(scale, optimizer)
    loader = DataLoader(Crates(), batch_size=4, **options)  #~
    seen = []
    for _ in range(2):
        for views, weights in loader:
            seen.append(step(views, weights))
    return {"scale.net.0.weight": scale.net[0].weight.grad}


def broken():
    return train()


def fixed():
    return train(drop_last=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
