"""'modified by an inplace operation': which of the writes is it?"""
import torch
from torch import nn


class Sluice(nn.Module):
    def __init__(self):
        super().__init__()
        self.inflow, self.gate = nn.Linear(3, 4), nn.Linear(4, 4)

    def forward(self, x):
        level = torch.sigmoid(self.inflow(x))
        flow = self.gate(level)
        flow += x.mean()
        level[:, 0] = 0.0
        return flow * level


model, inputs = Sluice(), torch.linspace(-1.0, 1.0, 6).view(2, 3)


def step():
    loss = model(inputs).square().sum()
    loss.backward()


if __name__ == "__main__":
    step()
