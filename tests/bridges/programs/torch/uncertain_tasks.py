"""Two tasks on pictures of sails, weighed by learned uncertainties; the weights never move."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class SailNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(8, 10), nn.GELU())
        self.wind = nn.Linear(10, 1)
        self.kind = nn.Linear(10, 3)

    def forward(self, sails):
        shared = self.shared(sails)
        return self.wind(shared).squeeze(1), self.kind(shared)


class UncertaintyWeighing(nn.Module):
    """Kendall, Gal, Cipolla: each loss is divided by twice its variance, which is learned."""

    def __init__(self, tasks=2):
        super().__init__()
        self.log_vars = nn.Parameter(torch.zeros(tasks))

    def forward(self, *losses):
        weighed = torch.exp(-self.log_vars) * torch.stack(losses)  #!
        return (weighed + 0.5 * self.log_vars).sum()


def optimizer_for_model(net, weighing):
    return torch.optim.AdamW(net.parameters(), lr=2e-3)  #~


def optimizer_for_all(net, weighing):
    return torch.optim.AdamW([{"params": net.parameters()}, {"params": weighing.parameters(), "weight_decay": 0.0}], lr=2e-3)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.3 * torch.cos(torch.arange(float(p.numel())) * 1.4 + k).view_as(p))
    return module


def regatta(make, rounds=4):
    net, weighing = settle(SailNet()), UncertaintyWeighing()
    optimizer = make(net, weighing)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, rounds)
    sails = torch.sin(torch.arange(80.0) * 0.37).view(10, 8)
    wind, kind = sails.mean(1) * 3, torch.arange(10) % 3
    for _ in range(rounds):
        optimizer.zero_grad()
        guess, logits = net(sails)
        loss = weighing(F.mse_loss(guess, wind), F.cross_entropy(logits, kind))
        loss.backward()
        optimizer.step()
        schedule.step()
    return {"net.wind.weight": net.wind.weight.grad, "weighing.log_vars": weighing.log_vars.grad}


def broken():
    return regatta(optimizer_for_model)


def fixed():
    return regatta(optimizer_for_all)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
