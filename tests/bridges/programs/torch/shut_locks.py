"""Water levels behind a lock: a gate decides how much of the upper basin comes through."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Lock(nn.Module):
    def __init__(self, bias):
        super().__init__()
        self.upper = nn.Linear(3, 5)
        self.lower = nn.Linear(3, 5)
        self.gate = nn.Linear(3, 5)
        self.level = nn.Linear(5, 1)
        self.bias = bias

    def reset(self):
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.2 + k).view_as(p))
            self.gate.bias.fill_(self.bias)
        return self

    def forward(self, flow):
        gate = F.hardsigmoid(self.gate(flow))  #~
        mixed = gate * self.upper(flow) + (1 - gate) * self.lower(flow)  #!
        return self.level(torch.tanh(mixed)).squeeze(-1)


def train(bias):
    lock = Lock(bias).reset()
    optimizer = torch.optim.AdamW(lock.parameters(), lr=1e-3)
    for day in range(3):
        flow = torch.cos(torch.arange(15.0).view(5, 3) * 0.8 + day)
        optimizer.zero_grad()
        F.mse_loss(lock(flow), flow.sum(dim=1)).backward()
        optimizer.step()
    return {"lock.upper.weight": lock.upper.weight.grad, "lock.lower.weight": lock.lower.weight.grad}


def broken():
    return train(-6.0)


def fixed():
    return train(0.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
