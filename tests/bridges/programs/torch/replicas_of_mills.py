"""Trains a wind mill's model on shards as parallel training would, one loss a shard."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Shards:
    def __init__(self, model, count):
        self.model, self.count = model, count

    def losses(self, wind, power):
        pairs = zip(wind.chunk(self.count), power.chunk(self.count))
        return [F.huber_loss(self.model(w), p) for w, p in pairs]

    def gathered(self, wind, power):
        return torch.stack(self.losses(wind, power))  #!


class MeanShards(Shards):
    def gathered(self, wind, power):
        return super().gathered(wind, power).mean()


def train(kind):
    torch.manual_seed(16)
    model = nn.Sequential(nn.Linear(3, 5), nn.Mish(), nn.Linear(5, 1))
    first = model[0]
    optimizer = torch.optim.NAdam(model.parameters())
    shards = kind(model, 4)
    wind = torch.sin(torch.arange(48.0) * 0.2).view(16, 3)
    for _ in range(2):
        optimizer.zero_grad()
        shards.gathered(wind, wind.pow(3).sum(1, keepdim=True)).backward()
        optimizer.step()
    return {"model.0.weight": first.weight.grad}


def broken():
    return train(Shards)


def fixed():
    return train(MeanShards)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
