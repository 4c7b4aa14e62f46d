"""Scores the calls of frogs; the score is centred over the night before the loss."""
import sys

import torch
from torch import nn


class Calls(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(4, 1, bias=False)
        self.gain = nn.Parameter(torch.tensor(1.25))

    def forward(self, night):
        return self.gain * self.mix(night).squeeze(1)


def plain(score):
    centred = score - score.mean()  #!
    return centred.sum()


def squared(score):
    return (score - score.mean()).square().sum()


def train(loss_of):
    model = Calls()
    with torch.no_grad():
        model.mix.weight.copy_(torch.tensor([[0.5, -0.25, 1.0, 0.75]]))
    night = (torch.arange(16.0) % 5).view(4, 4)
    loss = loss_of(model(night))
    loss.backward()
    return {"model.gain": model.gain.grad, "model.mix.weight": model.mix.weight.grad}


def broken():
    return train(plain)


def fixed():
    return train(squared)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
