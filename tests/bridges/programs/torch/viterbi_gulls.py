"""Labels the calls in recordings of gulls; transitions between labels smooth the decoding."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self, features=5, labels=3):
        super().__init__()
        self.emit = nn.Linear(features, labels)
        self.moves = nn.Parameter(0.1 * torch.eye(labels))

    def forward(self, calls):
        return self.emit(calls)

    @torch.no_grad()
    def decode(self, calls):
        best, back = self(calls[0]), []
        for scores in self(calls[1:]):
            total = best.unsqueeze(1) + self.moves
            best, where = total.max(dim=0)
            best = best + scores
            back.append(where)
        return best.argmax(), back

    def loss(self, calls, labels):
        return F.cross_entropy(self(calls), labels)  #!


class PathTagger(Tagger):
    def loss(self, calls, labels):
        scores = self(calls)
        alpha = scores[0]
        for row in scores[1:]:
            alpha = torch.logsumexp(alpha.unsqueeze(1) + self.moves, dim=0) + row
        path = scores.gather(1, labels.unsqueeze(1)).sum() + self.moves[labels[:-1], labels[1:]].sum()
        return alpha.logsumexp(0) - path


def train(kind):
    torch.manual_seed(6)
    tagger = kind()
    optimizer = torch.optim.Adam(tagger.parameters(), lr=1e-2)
    calls = torch.sin(torch.arange(60.0) * 0.35).view(12, 5)
    labels = torch.arange(12) // 4
    for _ in range(3):
        optimizer.zero_grad()
        tagger.loss(calls, labels).backward()
        optimizer.step()
        tagger.decode(calls)
    return {"tagger.moves": tagger.moves.grad, "tagger.emit.weight": tagger.emit.weight.grad}


def broken():
    return train(Tagger)


def fixed():
    return train(PathTagger)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
