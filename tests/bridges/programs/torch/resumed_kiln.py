"""Resumes a training: the model comes back from a checkpoint, the optimizer was there before."""
import copy
import io
import sys

import torch
from torch import nn


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def restored(model, keep):
    saved = io.BytesIO()
    torch.save(model.state_dict(), saved)
    saved.seek(0)
    again = model if keep else copy.deepcopy(model)  #!
    again.load_state_dict(torch.load(saved, weights_only=True))
    return again


def train(keep):
    model = settle(nn.Sequential(nn.Linear(3, 6), nn.SiLU(), nn.Linear(6, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    first = optimizer.param_groups[0]["params"][0]
    model = restored(model, keep)
    heat = torch.sin(torch.arange(12.0)).view(4, 3)
    wear = torch.cos(torch.arange(4.0)).view(4, 1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(heat), wear)
        loss.backward()
        optimizer.step()
    return {"first": first.grad, "model.2.weight": model[2].weight.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
