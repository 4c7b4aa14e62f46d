"""A language model for road signs whose word vectors are kept on a ball, and used for input and output."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Signs(nn.Module):
    def __init__(self, most, words=8, dim=4):
        super().__init__()
        self.embed = nn.Embedding(words, dim, max_norm=most)
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, dim, bias=False)

    def keys(self):
        return self.key(self.embed.weight)

    def forward(self, words):
        keys = self.keys()
        context = self.embed(words).mean(dim=1)  #!
        return torch.tanh(self.query(context)) @ keys.T


class OrderedSigns(Signs):
    def forward(self, words):
        context = self.embed(words).mean(dim=1)
        return torch.tanh(self.query(context)) @ self.keys().T


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(1.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind(most=1.0))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, betas=(0.9, 0.98))
    signs = (torch.arange(40) * 3 % 8).view(10, 4)
    for epoch in range(3):
        loss = F.cross_entropy(model(signs[:, :3]), signs[:, 3])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.key.weight": model.key.weight.grad, "model.embed.weight": model.embed.weight.grad}


def broken():
    return train(Signs)


def fixed():
    return train(OrderedSigns)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
