"""Tags stops of a tram line; the vector of the blank token must stay zero."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Line(nn.Module):
    def __init__(self, stops=10, dim=6, tags=3):
        super().__init__()
        self.stops = nn.Embedding(stops, dim)
        self.gru = nn.GRUCell(dim, dim)
        self.tag = nn.Linear(dim, tags)

    def blank(self):
        self.stops.weight[0] = 0.0  #!

    def forward(self, route):
        self.blank()
        hidden = self.stops.weight.new_zeros(len(route), self.gru.hidden_size)
        for stop in route.unbind(dim=1):
            hidden = self.gru(self.stops(stop), hidden)
        return self.tag(hidden)


class QuietLine(Line):
    @torch.no_grad()
    def blank(self):
        self.stops.weight[0] = 0.0


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(kind):
    model = settle(kind())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    routes, tags = torch.arange(40).view(8, 5) * 3 % 10, torch.arange(8) % 3
    for route, tag in DataLoader(TensorDataset(routes, tags), batch_size=4):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(route), tag)
        loss.backward()
        optimizer.step()
    return {"model.stops.weight": model.stops.weight.grad, "model.gru.weight_hh": model.gru.weight_hh.grad}


def broken():
    return train(Line)


def fixed():
    return train(QuietLine)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
