"""Unfreezes a vine disease model bottom up, a stage an epoch."""
import sys

import torch
from torch import nn


def stages():
    made = nn.ModuleDict({"leaf": nn.Linear(3, 5), "stem": nn.Linear(5, 5), "top": nn.Linear(5, 2)})
    with torch.no_grad():
        for k, p in enumerate(made.parameters()):
            p.copy_(torch.cos(torch.arange(p.numel()) * 0.8 + k).view_as(p))
    return made


class Unfreezer:
    """Frees one stage at each of its milestones."""

    def __init__(self, net, milestones):
        self.net, self.milestones = net, milestones
        for name in milestones:
            self.set(name, False)

    def set(self, name, on):
        for p in self.net[name].parameters():
            p.requires_grad = on  #!

    def start(self, epoch):
        for name, begin in self.milestones.items():
            if epoch == begin:
                self.set(name, True)


def predict(net, pictures):
    hidden = torch.tanh(net["leaf"](pictures))
    return net["top"](torch.tanh(net["stem"](hidden)))


def train(milestones):
    net = stages()
    unfreezer = Unfreezer(net, milestones)
    pictures, sick = torch.sin(torch.arange(21.0)).view(7, 3), torch.arange(7) % 2
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.1)
    warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: (epoch + 1) / 3)
    for epoch in range(3):
        unfreezer.start(epoch)
        optimizer.zero_grad()
        nn.functional.cross_entropy(predict(net, pictures), sick).backward()
        optimizer.step()
        warmup.step()
    return {"net.leaf.weight": net["leaf"].weight.grad, "net.stem.weight": net["stem"].weight.grad}


def broken():
    return train({"stem": 1, "leaf": 3})


def fixed():
    return train({"stem": 1, "leaf": 2})


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
