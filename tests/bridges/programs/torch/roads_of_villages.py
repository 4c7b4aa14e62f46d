"""Rumours spread between villages along roads that are learned from where the villages lie."""
import sys

import torch
from torch import nn


class RoadNet(nn.Module):
    def __init__(self, villages=5, width=3):
        super().__init__()
        grid = torch.arange(villages * width, dtype=torch.float32).view(villages, width)
        self.place = nn.Parameter(torch.sin(grid))
        self.hear = nn.Linear(2, 2)
        self.roads = self.lay()  #~

    def lay(self):
        return torch.softmax(self.place @ self.place.t(), dim=1)

    def spread(self, rumours):
        return self.roads @ rumours  #!

    def forward(self, rumours):
        return self.hear(torch.relu(self.spread(rumours)))


class FreshRoadNet(RoadNet):
    def spread(self, rumours):
        return self.lay() @ rumours


def train(kind, days=3):
    torch.manual_seed(0)
    model = kind()
    optimizer = torch.optim.SGD(model.hear.parameters(), lr=0.1)
    for day in range(days):
        rumours = torch.cos(torch.arange(10.0) + day).view(5, 2)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(rumours), rumours.roll(1, 0))
        loss.backward()
        optimizer.step()
    return {"model.place": model.place.grad}


def broken():
    return train(RoadNet)


def fixed():
    return train(FreshRoadNet)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
