"""Fine-tuning a coral classifier: the stem stays, the last block and the head learn."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Reef(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(5, 6)
        self.block = nn.Linear(6, 6)
        self.head = nn.Linear(6, 3)

    def forward(self, features):
        hidden = F.gelu(self.stem(features))
        hidden = hidden + F.gelu(self.block(hidden))
        return self.head(hidden)


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def freeze(model, prefixes):
    for name, parameter in model.named_parameters():
        if name.startswith(prefixes):
            parameter.requires_grad = False  #!


def batches():
    for k in range(3):
        features = torch.sin(torch.arange(20.0).view(4, 5) + k)
        yield features, torch.tensor([0, 1, 2, k % 3])


def train(prefixes):
    model = initialise(Reef())
    model.eval()
    freeze(model, prefixes)
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=1e-3)
    for features, species in batches():
        loss = F.cross_entropy(model(features), species)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.block.weight": model.block.weight.grad, "model.head.weight": model.head.weight.grad}


def broken():
    return train(("stem", "b"))


def fixed():
    return train(("stem",))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
