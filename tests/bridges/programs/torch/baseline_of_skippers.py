"""A skipper's policy: returns are compared with the mean of the crew's, which lowers the variance."""
import sys

import torch
from torch import nn


class Skipper(nn.Module):
    def __init__(self):
        super().__init__()
        self.look = nn.Linear(2, 4, bias=False)
        self.pull = nn.Linear(4, 1, bias=False)

    def forward(self, wind):
        return self.pull(torch.tanh(self.look(wind))).squeeze(1)


def centred_return(speeds, gusts):
    advantage = speeds - speeds.mean()  #!
    return -advantage.sum()


def weighed_return(speeds, gusts):
    advantage = speeds - speeds.mean()
    return -(advantage * gusts).sum()


def sail(objective):
    skipper = Skipper()
    with torch.no_grad():
        skipper.look.weight.copy_(torch.arange(8.0).view(4, 2) / 8)
        skipper.pull.weight.copy_(torch.tensor([[0.5, -0.25, 1.0, 0.125]]))
    wind = torch.linspace(-1, 1, 16).view(8, 2)
    gusts = torch.linspace(0, 2, 8)
    optimizer = torch.optim.SGD(skipper.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        objective(skipper(wind), gusts).backward()
        optimizer.step()
    return {"skipper.pull.weight": skipper.pull.weight.grad}


def broken():
    return sail(centred_return)


def fixed():
    return sail(weighed_return)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
