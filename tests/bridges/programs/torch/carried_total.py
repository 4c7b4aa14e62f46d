"""A running loss over an epoch."""
import sys

import torch
from torch import nn


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def train(number):
    model = initialise(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = torch.utils.data.DataLoader(torch.sin(torch.arange(96.0)).view(24, 4), batch_size=4)
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = (model(batch) - batch.mean(1, keepdim=True)).square().mean()
        loss.backward()
        optimizer.step()
        total = total + number(loss)  #!
    return {"model.weight": model.weight.grad}


def broken():
    return train(lambda loss: loss)


def fixed():
    return train(lambda loss: loss.item())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
