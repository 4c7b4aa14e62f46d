"""A switch layer: each token goes to one expert of four."""
import sys

import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


class Switch(nn.Module):
    def __init__(self, width=4, count=4):
        super().__init__()
        self.router = nn.Linear(width, count, bias=False)
        self.experts = nn.ModuleList(Expert(width) for _ in range(count))

    def pick(self, x):
        return torch.topk(self.router(x).softmax(dim=-1), 1, dim=-1)[1].squeeze(-1)  #!

    def forward(self, x):
        chosen, out = self.pick(x), torch.zeros_like(x)
        for k, expert in enumerate(self.experts):
            rows = (chosen == k).nonzero().squeeze(-1)
            out = out.index_add(0, rows, expert(x[rows]))
        return x + out


class Weighted(Switch):
    def forward(self, x):
        weight, chosen = self.router(x).softmax(dim=-1).max(dim=-1)
        out = torch.zeros_like(x)
        for k, expert in enumerate(self.experts):
            rows = (chosen == k).nonzero().squeeze(-1)
            out = out.index_add(0, rows, weight[rows, None] * expert(x[rows]))
        return x + out


def settle(layer):
    with torch.no_grad():
        for k, p in enumerate(layer.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    return layer


def train(kind):
    layer = settle(kind())
    optimizer = torch.optim.AdamW(layer.parameters(), lr=1e-3, weight_decay=0.01)
    tokens = torch.cos(torch.arange(48.0) * 0.7).view(12, 4)
    for _ in range(2):
        optimizer.zero_grad()
        loss = (layer(tokens) - tokens.roll(1, 0)).square().mean()
        loss.backward()
        optimizer.step()
    return {"layer.router.weight": layer.router.weight.grad, "layer.experts.0.up.weight": layer.experts[0].up.weight.grad}


def broken():
    return train(Switch)


def fixed():
    return train(Weighted)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
