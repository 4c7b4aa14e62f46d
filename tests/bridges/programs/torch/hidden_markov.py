"""A hidden Markov model of a nightingale's verses, trained through the forward algorithm in a table."""
import sys

import torch
from torch import nn


class Verses(nn.Module):
    def __init__(self, states=3, sounds=4):
        super().__init__()
        self.start = nn.Parameter(torch.linspace(-1, 1, states))
        self.move = nn.Parameter(torch.sin(torch.arange(states * states * 1.0)).view(states, states))
        self.sing = nn.Parameter(torch.cos(torch.arange(states * sounds * 1.0)).view(states, sounds))

    def forward(self, song):
        move, sing = self.move.softmax(1), self.sing.softmax(1)
        alpha = torch.zeros(len(song), len(self.start))
        alpha[0] = self.start.softmax(0) * sing[:, song[0]]
        for t in range(1, len(song)):
            alpha[t] = (alpha[t - 1] @ move) * sing[:, song[t]]  #!
        return alpha[-1].sum().log()


class ListedVerses(Verses):
    def forward(self, song):
        move, sing = self.move.softmax(1), self.sing.softmax(1)
        alpha = self.start.softmax(0) * sing[:, song[0]]
        for sound in song[1:]:
            alpha = (alpha @ move) * sing[:, sound]
        return alpha.sum().log()


def listen(kind):
    hmm = kind()
    optimizer = torch.optim.Adam(hmm.parameters(), lr=0.05)
    for song in (torch.tensor([0, 2, 1, 3]), torch.tensor([1, 1, 0, 2, 3])):
        optimizer.zero_grad()
        (-hmm(song)).backward()
        optimizer.step()
    return {"hmm.move": hmm.move.grad, "hmm.start": hmm.start.grad}


def broken():
    return listen(Verses)


def fixed():
    return listen(ListedVerses)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
