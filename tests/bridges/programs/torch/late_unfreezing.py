"""Unfreezes the last block of a bird song tagger after a look at the first batch."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.spectrum = nn.Linear(8, 6)
        self.block = nn.Linear(6, 6)
        self.tags = nn.Linear(6, 3)

    def forward(self, sound):
        return self.tags(F.relu(self.block(F.relu(self.spectrum(sound)))))  #!


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def frozen():
    model = settle(Tagger())
    for part in (model.spectrum, model.block):
        part.requires_grad_(False)
    return model


def broken():
    model = frozen()
    sound, tags = torch.cos(torch.arange(40.0)).view(5, 8), torch.arange(5) % 3
    optimizer = torch.optim.Adam(model.tags.parameters(), lr=1e-3)
    scores = model(sound)  #~
    model.block.requires_grad_(True)  #~
    optimizer.add_param_group({"params": model.block.parameters(), "lr": 1e-4})
    F.cross_entropy(scores, tags).backward()
    optimizer.step()
    return {"model.block.weight": model.block.weight.grad, "model.tags.weight": model.tags.weight.grad}


def fixed():
    model = frozen()
    sound, tags = torch.cos(torch.arange(40.0)).view(5, 8), torch.arange(5) % 3
    optimizer = torch.optim.Adam(model.tags.parameters(), lr=1e-3)
    model.block.requires_grad_(True)
    optimizer.add_param_group({"params": model.block.parameters(), "lr": 1e-4})
    scores = model(sound)
    F.cross_entropy(scores, tags).backward()
    optimizer.step()
    return {"model.block.weight": model.block.weight.grad, "model.tags.weight": model.tags.weight.grad}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
