"""Noisy labels of potsherds: a small net learns how much each example counts, from a clean set (learning to reweight)."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call


class Sherds(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 6), nn.ELU(), nn.Linear(6, 2))

    def forward(self, x):
        return self.net(x)


class WeightNet(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.inner, self.outer = nn.Linear(1, hidden), nn.Linear(hidden, 1)

    def forward(self, losses):
        return torch.sigmoid(self.outer(torch.relu(self.inner(losses.unsqueeze(1))))).squeeze(1)


class Reweighting:
    options = {}

    def __init__(self, model, weigher, rate=0.5):
        self.model, self.weigher, self.rate = model, weigher, rate
        self.fits = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        self.weighs = torch.optim.Adam(weigher.parameters(), lr=1e-2)

    def looked_ahead(self, sherds, labels):
        params = dict(self.model.named_parameters())
        losses = F.cross_entropy(functional_call(self.model, params, (sherds,)), labels, reduction="none")
        cost = (self.weigher(losses.detach()) * losses).mean()
        slopes = torch.autograd.grad(cost, list(params.values()), **self.options)  #!
        return {name: p - self.rate * slope for (name, p), slope in zip(params.items(), slopes)}

    def step(self, noisy, clean):
        ahead = self.looked_ahead(*noisy)
        meta = F.cross_entropy(functional_call(self.model, ahead, (clean[0],)), clean[1])
        self.weighs.zero_grad()
        meta.backward()
        self.weighs.step()
        losses = F.cross_entropy(self.model(noisy[0]), noisy[1], reduction="none")
        with torch.no_grad():
            weights = self.weigher(losses)
        self.fits.zero_grad()
        (weights * losses).mean().backward()
        self.fits.step()


class SecondOrder(Reweighting):
    options = {"create_graph": True}


def train(kind):
    torch.manual_seed(10)
    model, weigher = Sherds(), WeightNet()
    trainer = kind(model, weigher)
    for k in range(3):
        sherds = torch.sin(torch.arange(48.0) * 0.6 + k).view(12, 4)
        labels = (sherds.sum(1) > 0).long()
        noisy = (sherds[:8], labels[:8] ^ (torch.arange(8) % 4 == 0).long())
        trainer.step(noisy, (sherds[8:], labels[8:]))
    return {"weigher.inner.weight": weigher.inner.weight.grad, "model.net.0.weight": model.net[0].weight.grad}


def broken():
    return train(Reweighting)


def fixed():
    return train(SecondOrder)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
