"""Several gaits are predicted for a horse; only the best one of each example is trained."""
import sys

import torch
from torch import nn


class Gaits(nn.Module):
    def __init__(self, offset, count=3):
        super().__init__()
        self.body = nn.Linear(4, 6)
        self.heads = nn.ModuleList(nn.Linear(6, 2) for _ in range(count))
        with torch.no_grad():
            self.heads[2].bias.add_(offset)

    def forward(self, x):
        h = torch.nn.functional.silu(self.body(x))
        return torch.stack([head(h) for head in self.heads], dim=1)


def best(gaits, seen):
    errors = (gaits - seen.unsqueeze(1)).square().sum(-1)
    return errors.min(dim=1).values.mean()  #!


def train(offset):
    torch.manual_seed(5)
    model = Gaits(offset)
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
    x = torch.sin(torch.arange(64.0) * 0.7).view(16, 4)
    seen = torch.stack([x.sum(1), x.prod(1) - 0.4], dim=1)
    for _ in range(2):
        optimizer.zero_grad()
        best(model(x), seen).backward()
        optimizer.step()
    return {"model.heads.2.bias": model.heads[2].bias.grad, "model.heads.0.bias": model.heads[0].bias.grad}


def broken():
    return train(offset=20.0)


def fixed():
    return train(offset=0.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
