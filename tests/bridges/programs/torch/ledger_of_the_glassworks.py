"""A trainer for a glassworks' furnace with callbacks; one of them writes a ledger of gradients."""
import sys

import torch
from torch import nn


class Ledger:
    def __init__(self):
        self.lines = []

    def after_batch(self, trainer):
        self.lines.append(round(trainer.last, 6))


class Tidy:
    def after_batch(self, trainer):
        for group in trainer.optimizer.param_groups:
            for weight in group["params"]:
                weight.grad = None  #!


class Trainer:
    def __init__(self, model, callbacks):
        self.model, self.callbacks, self.last = model, callbacks, 0.0
        decayed = [w for w in model.parameters() if w.dim() > 1]
        plain = [w for w in model.parameters() if w.dim() <= 1]
        self.optimizer = torch.optim.AdamW([{"params": decayed}, {"params": plain, "weight_decay": 0.0}], lr=1e-3)

    def batch(self, sand, clarity):
        self.optimizer.zero_grad()
        loss = nn.functional.l1_loss(self.model(sand).squeeze(1), clarity)
        loss.backward()
        nn.utils.clip_grad_value_(self.model.parameters(), 0.5)
        self.optimizer.step()
        self.last = loss.item()
        for callback in self.callbacks:
            callback.after_batch(self)


def melt(callbacks):
    torch.manual_seed(65)
    furnace = nn.Sequential(nn.Linear(3, 6), nn.Mish(), nn.Linear(6, 1))
    trainer = Trainer(furnace, callbacks)
    for k in range(3):
        sand = torch.cos(torch.arange(12.0) + k).view(4, 3)
        trainer.batch(sand, sand.prod(1))
    return {"furnace.0.weight": furnace[0].weight.grad}


def broken():
    return melt([Ledger(), Tidy()])


def fixed():
    return melt([Ledger()])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
