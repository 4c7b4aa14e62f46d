"""Durations of journeys from their legs: a packed LSTM with a learned start."""
import sys

import torch
from torch import nn
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence


class Journeys(nn.Module):
    def __init__(self, hidden=5):
        super().__init__()
        self.lstm = nn.LSTM(3, hidden, bidirectional=False)
        self.out = nn.Linear(hidden, 1)

    def forward(self, packed, start):
        states, (last, _) = self.lstm(packed, (start, torch.zeros_like(start)))
        padded, lengths = pad_packed_sequence(states)
        mean = padded.sum(dim=0) / lengths[:, None]
        return self.out(last[0] + mean).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 0.5 + k).view_as(p))
    return module


def spread(count):
    return torch.full((1, 1, 5), 0.1, requires_grad=True).repeat(1, count, 1)  #!


def own(count):
    return torch.full((1, count, 5), 0.1, requires_grad=True)


def train(make):
    model = settle(Journeys())
    legs = [torch.sin(torch.arange(3.0 * n) + n).view(n, 3) for n in (2, 5, 3, 4)]
    start = make(len(legs))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, nesterov=True, momentum=0.9)
    for _ in range(2):
        optimizer.zero_grad()
        guess = model(pack_sequence(legs, enforce_sorted=False), start)
        loss = nn.functional.smooth_l1_loss(guess, torch.tensor([2.0, 5.0, 3.0, 4.0]))
        loss.backward(retain_graph=True)
        optimizer.step()
    return {"start": start.grad, "model.out.weight": model.out.weight.grad}


def broken():
    return train(spread)


def fixed():
    return train(own)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
