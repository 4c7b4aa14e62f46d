"""Rates reviews; the compiled model pools words in one of several ways, which an experiment goes through."""
import sys

import torch
from torch import nn


class Rater(nn.Module):
    def __init__(self, words=20, dim=6):
        super().__init__()
        self.embed = nn.Embedding(words, dim)
        self.score = nn.Linear(dim, 1)

    def forward(self, words):
        return self.embed(words)


def pool(states, weight, bias, how):
    if how == "mean":
        summary = states.mean(dim=1)
    elif how == "max":
        summary = states.amax(dim=1)
    else:
        summary = states.logsumexp(dim=1)
    return summary @ weight.T + bias


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module


def train(order):
    model = settle(Rater())
    rate = torch.compile(pool, backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    words, stars = (torch.arange(40) * 7 % 20).view(8, 5), torch.linspace(-1, 1, 8)
    for how in order:
        optimizer.zero_grad()
        predicted = rate(model(words), model.score.weight, model.score.bias, how)  #!
        loss = (predicted.squeeze(1) - stars).square().mean()
        loss.backward()
        optimizer.step()
    return {"model.score.weight": model.score.weight.grad, "model.embed.weight": model.embed.weight.grad}


def broken():
    return train(["mean", "mean", "max", "mean", "soft"])


def fixed():
    return train(["mean", "mean", "mean", "mean", "mean"])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
