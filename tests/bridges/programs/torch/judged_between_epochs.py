"""A compiled reader of stamps that is judged after each epoch."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Stamps(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(5, 4)
        self.drop = nn.Dropout(0.2)
        self.kind = nn.Linear(4, 2)

    def forward(self, stamp):
        return self.kind(self.drop(F.relu(self.inner(stamp))))


def run(model, stamp, kind):
    return F.cross_entropy(model(stamp), kind)  #!


def train(judge_alone):
    torch.manual_seed(0)
    stamps = Stamps()
    with torch.no_grad():
        for k, p in enumerate(stamps.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    compiled = torch.compile(stamps, backend="eager")
    optimizer = torch.optim.SGD(stamps.parameters(), lr=0.1)
    stamp, kind = torch.sin(torch.arange(30.0).view(6, 5) * 0.5), torch.arange(6) % 2
    for _ in range(2):
        stamps.train()
        loss = run(compiled, stamp, kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        stamps.eval()
        run(stamps if judge_alone else compiled, stamp, kind)
    return {"stamps.inner.weight": stamps.inner.weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
