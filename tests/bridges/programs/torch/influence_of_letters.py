"""Influence of training letters on a reader: gradients of every parameter for each letter."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Reader(nn.Module):
    def __init__(self, glyphs=9, width=5):
        super().__init__()
        self.embed = nn.Embedding(glyphs, width)
        self.positions = nn.Parameter(0.1 * torch.cos(torch.arange(8.0 * width)).view(8, width))
        self.query = nn.Linear(width, width)
        self.pooler = nn.Linear(width, width)  #!
        self.classify = nn.Linear(width, 3)

    def pooled(self, states):
        return states.mean(1)  #~

    def forward(self, glyphs):
        states = self.embed(glyphs) + self.positions[: glyphs.shape[1]]
        share = torch.softmax(self.query(states) @ states.transpose(1, 2), dim=-1)
        return self.classify(self.pooled(share @ states))  #~


class PooledReader(Reader):
    def pooled(self, states):
        return torch.tanh(self.pooler(states.mean(1)))


def influence(model, glyphs, label):
    parameters = list(model.parameters())
    loss = F.cross_entropy(model(glyphs), label)  #~
    gradients = torch.autograd.grad(loss, parameters)  #~
    return dict(zip((name for name, _ in model.named_parameters()), gradients))


def study(kind):
    torch.manual_seed(14)
    model = kind()
    letters = [(torch.arange(6) * k % 9).view(1, 6) for k in (1, 2, 4)]
    found = [influence(model, letter, torch.tensor([k % 3])) for k, letter in enumerate(letters)]
    total = {name: sum(one[name] for one in found) for name in found[0]}
    return {"model.pooler.weight": total["pooler.weight"]}


def broken():
    return study(Reader)


def fixed():
    return study(PooledReader)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
