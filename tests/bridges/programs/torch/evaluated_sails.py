"""Sails: the model is evaluated after each epoch; training goes on in the next one."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Sail(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.cut = nn.Linear(4, width)
        self.drop = nn.Dropout(0.1)
        self.pull = nn.Linear(width, 1)

    def forward(self, wind):
        return self.pull(self.drop(F.elu(self.cut(wind)))).squeeze(1)  #!


class Evaluator:
    def __init__(self, loader):
        self.loader, self.history = loader, []

    def __call__(self, sail):
        sail.eval()
        torch.set_grad_enabled(False)  #~
        errors = [F.l1_loss(sail(wind), pull) for wind, pull in self.loader]
        self.history.append(torch.stack(errors).mean().item())
        sail.train()


class TidyEvaluator(Evaluator):
    def __call__(self, sail):
        super().__call__(sail)
        torch.set_grad_enabled(True)


def winds(count=12, start=0.0):
    wind = torch.sin(torch.arange(count * 4.0) * 0.33 + start).view(count, 4)
    return DataLoader(TensorDataset(wind, wind.abs().sum(1)), batch_size=6)


def step(sail, optimizer, wind, pull):
    optimizer.zero_grad()
    loss = F.smooth_l1_loss(sail(wind), pull)  #~
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(kind):
    torch.manual_seed(46)
    torch.set_grad_enabled(True)
    sail = Sail()
    optimizer = torch.optim.NAdam(sail.parameters(), lr=2e-3)
    evaluate = kind(winds(start=5.0))
    for _ in range(2):
        for wind, pull in winds():
            step(sail, optimizer, wind, pull)
        evaluate(sail)
    return {"sail.cut.weight": sail.cut.weight.grad}


def broken():
    try:
        return train(Evaluator)
    finally:
        torch.set_grad_enabled(True)


def fixed():
    return train(TidyEvaluator)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
