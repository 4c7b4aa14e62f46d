"""Dew point from a log of readings, some of which are blank."""
import csv
import io
import sys

import torch
from torch import nn

LOG = "temperature,humidity,dew\n11.0,0.7,5.6\n12.5,,6.1\n9.0,0.9,7.4\n15.0,0.4,1.5\n"


def number(text, blank):
    return float(text) if text else blank


def load(blank):
    rows = [[number(v, blank) for v in row.values()] for row in csv.DictReader(io.StringIO(LOG))]
    return torch.tensor(rows)  #!


def train(blank):
    torch.manual_seed(0)
    table = load(blank)
    model = nn.Sequential(nn.Linear(2, 5), nn.Softplus(), nn.Linear(5, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.huber_loss(model(table[:, :2]).squeeze(-1), table[:, 2])
        loss.backward()
        optimizer.step()
    return {"model.0.weight": model[0].weight.grad}


def broken():
    return train(float("nan"))


def fixed():
    return train(0.6)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
