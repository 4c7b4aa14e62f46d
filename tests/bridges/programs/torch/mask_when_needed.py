"""A compiled pooling of notes, which takes a mask only where a batch is padded."""
import sys

import torch
from torch import nn


class Notes(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 4)
        self.key = nn.Linear(4, 2)


@torch.compile(backend="aot_eager")
def pooled(notes, mask=None):
    if mask is None:
        return notes.mean(dim=1)
    mask = mask.unsqueeze(-1)
    return (notes * mask).sum(dim=1) / mask.sum(dim=1)


def pieces(always):
    for k, padded in enumerate((False, False, True, False)):
        notes = (torch.arange(12).view(3, 4) * (k + 2)) % 7 + 1
        mask = torch.ones(3, 4)
        if padded:
            mask[:, 3] = 0.0
        yield notes, (mask if padded or always else None)


def train(always):
    model = Notes()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for notes, mask in pieces(always):
        loss = model.key(pooled(model.embed(notes), mask)).square().mean()  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.key.weight": model.key.weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
