"""A small language model of recipes with input and output vectors shared."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Cook(nn.Module):
    def __init__(self, words=11, width=6):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.norm = nn.RMSNorm(width)
        self.decoder = nn.Linear(width, words, bias=False)  #!
        self.bias = nn.Parameter(torch.zeros(words))

    def forward(self, words):
        h, _ = self.rnn(self.embed(words))
        return F.linear(self.norm(h), self.embed.weight, self.bias)


class Untied(Cook):
    def forward(self, words):
        h, _ = self.rnn(self.embed(words))
        return self.decoder(self.norm(h)) + self.bias


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.6 + k).view_as(p))
    return module


def groups(model, decay):
    named = list(model.named_parameters())
    return [{"params": [p for n, p in named if p.ndim > 1], "weight_decay": decay}, {"params": [p for n, p in named if p.ndim <= 1], "weight_decay": 0.0}]


def train(kind):
    model = settle(kind())
    optimizer = torch.optim.AdamW(groups(model, 0.1), lr=1e-3)
    warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: min(1.0, (k + 1) / 2))
    text = (torch.arange(40) * 7 % 11).view(4, 10)
    for _ in range(3):
        loss = F.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        warm.step()
        optimizer.zero_grad(set_to_none=False)
    loss = F.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
    loss.backward()
    return {"model.decoder.weight": model.decoder.weight.grad, "model.embed.weight": model.embed.weight.grad}


def broken():
    return train(Cook)


def fixed():
    return train(Untied)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
