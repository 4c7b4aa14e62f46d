"""Which words does a one-headed attention reader weigh, and how does the loss pull on the weights?"""
import math
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Reader(nn.Module):
    def __init__(self, words=10, width=4):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, 2)
        self.keep = False

    def forward(self, tokens):
        x = self.embed(tokens)
        scores = self.query(x) @ self.key(x).transpose(1, 2) / math.sqrt(x.shape[-1])
        weights = torch.softmax(scores, dim=-1)  #!
        if self.keep:
            weights.retain_grad()
        self.last_weights = weights
        return self.out((weights @ self.value(x)).mean(dim=1))


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.7 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return model


def probe(keep):
    reader = initialise(Reader())
    reader.keep = keep
    tokens = torch.tensor([[1, 4, 7], [2, 2, 9]])
    labels = torch.tensor([0, 1])
    optimizer = torch.optim.Adam(reader.parameters())
    for _ in range(2):
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(reader(tokens), labels)
        loss.backward()
        optimizer.step()
    weights = reader.last_weights
    return {"weights": weights.grad, "reader.value.weight": reader.value.weight.grad}


def broken():
    return probe(False)


def fixed():
    return probe(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
