"""A compiled loss for recordings of choirs, some of which come with a mask of the voices that are missing."""
import sys

import torch
from torch import nn


def voices(k, masked):
    batch = {"pitch": torch.sin(torch.arange(12.0) + k).view(3, 4), "target": torch.ones(3, 4) * 0.2}
    if masked:
        batch["mask"] = (torch.arange(12) % 3 > 0).float().view(3, 4)
    return batch


def choir_loss(model, batch):
    miss = (model(batch["pitch"]) - batch["target"]).square()
    if "mask" in batch:
        miss = miss * batch["mask"]
    return miss.mean()


class Rehearsal:
    def __init__(self, model):
        self.model = model
        self.loss = torch.compile(choir_loss, backend="eager")
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def sing(self, batch):
        self.optimizer.zero_grad()
        loss = self.loss(self.model, batch)  #!
        loss.backward()
        self.optimizer.step()


def rehearse(masks):
    torch.manual_seed(27)
    model = nn.Sequential(nn.Linear(4, 6), nn.Mish(), nn.Linear(6, 4))
    rehearsal = Rehearsal(model)
    for k, masked in enumerate(masks):
        rehearsal.sing(voices(k, masked))
    return {"model.0.weight": model[0].weight.grad}


def broken():
    return rehearse([False, False, True, False])


def fixed():
    return rehearse([True, True, True, True])


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
