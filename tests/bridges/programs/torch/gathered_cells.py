"""Message passing between cells of a honeycomb."""
import sys

import torch
from torch import nn


def neighbours(n):
    return {k: [(k - 1) % n, (k + 1) % n, (k + 5) % n] for k in range(n)}


class Honeycomb(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.message = nn.Linear(dim, dim)
        self.cell = nn.GRUCell(dim, dim)

    def gather(self, h, graph):
        out = torch.zeros_like(h)
        rows = []
        for node, near in graph.items():
            rows.append(torch.tanh(self.message(h[near])).mean(dim=0))  #!
        return torch.stack(rows)

    def forward(self, h, graph):
        return self.cell(self.gather(h, graph), h)


class BatchedHoneycomb(Honeycomb):
    def gather(self, h, graph):
        index = torch.tensor(list(graph.values()))
        return torch.tanh(self.message(h[index])).mean(dim=1)


def settle(kind):
    torch.manual_seed(0)
    comb = kind()
    optimizer = torch.optim.Adam(comb.parameters(), lr=1e-2)
    graph = neighbours(24)
    h = torch.sin(torch.arange(96.0)).view(24, 4)
    for _ in range(2):
        optimizer.zero_grad()
        loss = (comb(h, graph) - h.roll(1, 0)).pow(2).mean()
        loss.backward()
        optimizer.step()
    return {"comb.message.weight": comb.message.weight.grad}


def broken():
    return settle(Honeycomb)


def fixed():
    return settle(BatchedHoneycomb)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
