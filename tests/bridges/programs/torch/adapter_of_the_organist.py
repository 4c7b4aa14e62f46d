"""A low-rank adapter is added to an organist's frozen layer; both factors start small."""
import sys

import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, base, rank, start):
        super().__init__()
        self.base = base
        for weight in base.parameters():
            weight.requires_grad_(False)
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)
        start(self.down.weight)
        nn.init.zeros_(self.up.weight)

    def forward(self, keys):
        return self.base(keys) + self.up(self.down(keys))  #!


def play(start):
    torch.manual_seed(33)
    organ = nn.Sequential(Adapter(nn.Linear(5, 4), 2, start), nn.Tanh(), nn.Linear(4, 2))
    keys = torch.sin(torch.arange(30.0)).view(6, 5)
    pipes = torch.cos(torch.arange(12.0)).view(6, 2)
    trained = [weight for weight in organ.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-2)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(organ(keys), pipes)
        loss.backward()
        optimizer.step()
    return {"organ.0.up.weight": organ[0].up.weight.grad, "organ.2.weight": organ[2].weight.grad}


def broken():
    return play(nn.init.zeros_)


def fixed():
    return play(nn.init.kaiming_uniform_)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
