"""A model of draught for ploughs that survives a power cut: training goes on from what was saved."""
import io
import sys

import torch
from torch import nn


class Draught(nn.Module):
    def __init__(self):
        super().__init__()
        self.soil = nn.Linear(3, 5)
        self.pull = nn.Linear(5, 1)

    def forward(self, field):
        return self.pull(torch.sigmoid(self.soil(field))).squeeze(-1)


def save(net):
    disk = io.BytesIO()
    torch.save(net.state_dict(), disk)
    disk.seek(0)
    return disk


def resumed(net):
    again = Draught()  #!
    again.load_state_dict(torch.load(save(net)))  #~
    return again


def season(after_the_cut, weeks=3):
    torch.manual_seed(2)
    plough = Draught()
    field = torch.linspace(-1, 1, 24).view(8, 3)
    force = field.sum(dim=1).abs()
    worker = after_the_cut(plough)
    optimizer = torch.optim.Adam(worker.parameters(), lr=1e-2)
    for _ in range(weeks):
        optimizer.zero_grad()
        loss = (worker(field) - force).pow(2).mean()
        loss.backward()
        optimizer.step()
    return {"plough.soil.weight": plough.soil.weight.grad}


def broken():
    return season(lambda net: resumed(net))


def fixed():
    return season(lambda net: net)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
