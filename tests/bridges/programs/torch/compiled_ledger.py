"""Reads ledgers of any length by a compiled encoder; a batch is a dict of tensors."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Ledger(nn.Module):
    def __init__(self, words=16, width=6):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.gate = nn.Linear(width, 1)
        self.out = nn.Linear(width, 2)

    def forward(self, batch):
        h = self.embed(batch["words"])
        share = torch.softmax(self.gate(h).squeeze(-1), dim=1)
        return self.out((share.unsqueeze(-1) * h).sum(1))


def pages(lengths):
    for k, length in enumerate(lengths):
        words = (torch.arange(3 * length) * (k + 3) % 16).view(3, length)
        yield {"words": words, "label": torch.tensor([k % 2, 1, 0])}


def train(lengths):
    torch.manual_seed(1)
    model = Ledger()
    encode = torch.compile(model, backend="eager", dynamic=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in pages(lengths):
        optimizer.zero_grad()
        loss = F.cross_entropy(encode(batch), batch["label"])  #!
        loss.backward()
        optimizer.step()
    return {"model.gate.weight": model.gate.weight.grad}


def broken():
    return train([5, 7, 9])


def fixed():
    return train([9, 9, 9])


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
