"""Rows of an attention over herbs are normalised after an exponential."""
import sys

import torch
from torch import nn


class HerbAttention(nn.Module):
    def __init__(self, in_place):
        super().__init__()
        self.query = nn.Linear(4, 4, bias=False)
        self.in_place = in_place

    def weights(self, herbs):
        score = torch.exp(self.query(herbs) @ herbs.t() / 2)  #~
        total = score.sum(1, keepdim=True)
        if self.in_place:
            score /= total  #!
            return score
        return score / total

    def forward(self, herbs):
        return self.weights(herbs) @ herbs


def brew(in_place):
    torch.manual_seed(14)
    infusion = HerbAttention(in_place)
    herbs = torch.cos(torch.arange(20.0)).view(5, 4)
    loss = (infusion(herbs) - herbs).square().mean()
    loss.backward()
    return {"infusion.query.weight": infusion.query.weight.grad}


def broken():
    return brew(in_place=True)


def fixed():
    return brew(in_place=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
