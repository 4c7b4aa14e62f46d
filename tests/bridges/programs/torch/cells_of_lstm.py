"""Predicts the flow of a spring by truncated backpropagation: state is carried from week to week."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Spring(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.lstm = nn.LSTM(3, width, batch_first=True)
        self.flow = nn.Linear(width, 1)
        self.state = None

    def forward(self, week):
        h, self.state = self.lstm(week, self.state)  #!
        return self.flow(h).squeeze(2)

    def cut(self):
        h, c = self.state
        self.state = (h.detach(), c)


class FullyCut(Spring):
    def cut(self):
        self.state = tuple(part.detach() for part in self.state)


def train(kind):
    torch.manual_seed(12)
    model = kind()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for k in range(3):
        week = torch.sin(torch.arange(42.0) * 0.3 + k).view(2, 7, 3)
        optimizer.zero_grad()
        loss = F.smooth_l1_loss(model(week), week.mean(2))
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        model.cut()
    return {"model.lstm.weight_hh_l0": model.lstm.weight_hh_l0.grad}


def broken():
    return train(Spring)


def fixed():
    return train(FullyCut)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
