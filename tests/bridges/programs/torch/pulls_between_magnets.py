"""The pull between magnets on a board, pair by pair."""
import sys

import torch
from torch import nn


class Board(nn.Module):
    def __init__(self, energy):
        super().__init__()
        self.place = nn.Parameter(torch.sin(torch.arange(16.0) * 1.7).view(8, 2))
        self.energy = energy

    def forward(self):
        return self.energy(self.place)


def pair_by_pair(place):
    total = torch.zeros(())
    for i in range(len(place)):
        for j in range(i):
            gap = place[i] - place[j]  #!
            total = total + 1 / (gap.square().sum() + 0.1)  #~
    return total


def at_once(place):
    gap = place[:, None] - place[None]
    pull = 1 / (gap.square().sum(-1) + 0.1)
    return pull.tril(-1).sum()


def settle(energy):
    board = Board(energy)
    optimizer = torch.optim.SGD(board.parameters(), lr=1e-3)
    for _ in range(3):
        optimizer.zero_grad()
        board().backward()
        optimizer.step()
    return {"board.place": board.place.grad}


def broken():
    return settle(pair_by_pair)


def fixed():
    return settle(at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
