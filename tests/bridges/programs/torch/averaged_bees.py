"""Counts bees; validation swaps the averaged weights in, in the middle of an accumulated step."""
import contextlib
import sys

import torch
from torch import nn


class EMA:
    def __init__(self, model, decay=0.9):
        self.model, self.decay = model, decay
        self.shadow = {k: v.detach().clone() for k, v in model.named_parameters()}

    def update(self):
        for k, v in self.model.named_parameters():
            self.shadow[k].lerp_(v.detach(), 1 - self.decay)

    @contextlib.contextmanager
    def averaged(self):
        kept = {k: v.detach().clone() for k, v in self.model.named_parameters()}
        self.put(self.shadow)
        yield self.model
        self.put(kept)

    @torch.no_grad()
    def put(self, weights):
        for k, v in self.model.named_parameters():
            v.copy_(weights[k])  #!


class Trainer:
    def __init__(self, model, check_first):
        self.model, self.ema, self.check_first = model, EMA(model), check_first
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-3)

    def check(self, x, y):
        with self.ema.averaged() as model, torch.no_grad():  #~
            return nn.functional.l1_loss(model(x), y).item()

    def step(self, x, y):
        if self.check_first:
            self.check(x, y)
        loss = nn.functional.mse_loss(self.model(x), y)
        if not self.check_first:
            self.check(x, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.ema.update()


def count(check_first):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))
    trainer = Trainer(model, check_first)
    x = torch.sin(torch.arange(18.0)).view(6, 3)
    for _ in range(2):
        trainer.step(x, x.abs().sum(1, keepdim=True))
    return {"model.0.weight": model[0].weight.grad}


def broken():
    return count(check_first=False)


def fixed():
    return count(check_first=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
