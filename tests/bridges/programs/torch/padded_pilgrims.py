"""Pilgrims' journeys of different lengths are averaged over their stages; the padding is masked."""
import sys

import torch
from torch import nn


class Journey(nn.Module):
    def __init__(self):
        super().__init__()
        self.stage = nn.Linear(2, 4)
        self.end = nn.Linear(4, 1)

    def forward(self, stages, lengths, mask_of):
        mask = mask_of(lengths, stages.shape[1])
        walked = torch.tanh(self.stage(stages)) * mask.unsqueeze(2)  #!
        return self.end(walked.sum(1) / lengths.unsqueeze(1)).squeeze(1)


def after(lengths, longest):
    return (torch.arange(longest) >= longest * lengths.unsqueeze(1)).float()


def within(lengths, longest):
    return (torch.arange(longest) < lengths.unsqueeze(1)).float()


def walk(mask_of):
    torch.manual_seed(79)
    journey = Journey()
    stages = torch.sin(torch.arange(24.0)).view(3, 4, 2)
    lengths = torch.tensor([2.0, 4.0, 3.0])
    loss = (journey(stages, lengths, mask_of) - lengths / 4).square().mean()
    loss.backward()
    return {"journey.stage.weight": journey.stage.weight.grad, "journey.end.bias": journey.end.bias.grad}


def broken():
    return walk(after)


def fixed():
    return walk(within)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
