"""Predicts the ferries' delays with a model that grew over the years."""
import sys

import torch
from torch import nn


class Delay(nn.Module):
    def __init__(self, wind):
        super().__init__()
        self.encode = nn.Linear(4, 6)
        self.windward = nn.Linear(6, 6)  #!
        self.norm = nn.LayerNorm(6)
        self.decode = nn.Linear(6, 1)
        self.wind = wind
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                p.copy_(0.5 + 0.4 * torch.sin(torch.arange(p.numel()) + k).view_as(p))

    def forward(self, trips):
        hidden = self.norm(torch.relu(self.encode(trips)))
        if self.wind is not None:
            hidden = self.wind(self, hidden)
        return self.decode(hidden)


def train(wind):
    delay = Delay(wind)
    trips = torch.sin(torch.arange(24.0) * 0.6).view(6, 4)
    late = torch.linspace(0.0, 2.0, 6).unsqueeze(1)
    optimizer = torch.optim.Adam(delay.parameters(), lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        nn.functional.huber_loss(delay(trips), late).backward()
        optimizer.step()
    return {"delay.windward.weight": delay.windward.weight.grad, "delay.encode.weight": delay.encode.weight.grad}


def broken():
    return train(None)


def fixed():
    return train(lambda delay, hidden: hidden + delay.windward(hidden))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
