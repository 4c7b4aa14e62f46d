"""A crop classifier with an auxiliary head in the middle, as in GoogLeNet; a trial validation comes before the first epoch."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Crops(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = nn.Linear(4, 6)
        self.high = nn.Linear(6, 6)
        self.out = nn.Linear(6, 3)
        self.aux = nn.Linear(6, 3)

    def forward(self, x):
        x = F.gelu(self.low(x))
        early = None
        if self.training:  #!
            early = self.aux(x)
        return self.out(F.gelu(self.high(x))), early


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


@torch.no_grad()
def validate(model, x, y):
    model.eval()
    logits, _ = model(x)
    return (logits.argmax(dim=1) == y).float().mean().item()


def train(resume):
    model = settle(Crops())
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
    x = torch.sin(torch.arange(24.0) * 0.9).view(6, 4)
    y = torch.tensor([0, 1, 2, 2, 1, 0])
    model.train()
    before = validate(model, x, y)
    for epoch in range(3):
        if resume:
            model.train()
        logits, early = model(x)
        loss = F.cross_entropy(logits, y)
        if early is not None:
            loss = loss + 0.3 * F.cross_entropy(early, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.aux.weight": model.aux.weight.grad, "model.low.weight": model.low.weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
