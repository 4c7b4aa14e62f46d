"""Makes features of two streams alike by their maximum mean discrepancy."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Features(nn.Module):
    def __init__(self, inputs=5, dim=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, 8), nn.Tanh(), nn.Linear(8, dim))

    def forward(self, x):
        return self.net(x)


def kernel(a, b, width=1.0):
    rows = []
    for x in a:
        rows.append(torch.exp(-(x - b).square().sum(dim=1) / width))  #!
    return torch.stack(rows)


def kernel_at_once(a, b, width=1.0):
    return torch.exp(-(a[:, None] - b[None]).square().sum(dim=2) / width)


def discrepancy(kernel, a, b):
    return kernel(a, a).mean() + kernel(b, b).mean() - 2 * kernel(a, b).mean()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return module


def train(kernel):
    model = settle(Features())
    flow = nn.Linear(4, 1)
    settle(flow)
    optimizer = torch.optim.SGD([*model.parameters(), *flow.parameters()], lr=1e-2)
    upper = torch.sin(torch.arange(80.0) * 0.3).view(16, 5)
    lower = torch.cos(torch.arange(80.0) * 0.4).view(16, 5)
    for epoch in range(2):
        a, b = model(upper), model(lower)
        loss = F.mse_loss(flow(a).squeeze(1), upper.sum(dim=1)) + discrepancy(kernel, a, b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.net.0.weight": model.net[0].weight.grad, "flow.weight": flow.weight.grad}


def broken():
    return train(kernel)


def fixed():
    return train(kernel_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
