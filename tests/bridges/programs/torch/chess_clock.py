"""A compiled evaluation of chess positions with a phase that is an attribute."""
import sys

import torch
from torch import nn


class Evaluation(nn.Module):
    def __init__(self):
        super().__init__()
        self.pieces = nn.Parameter(torch.linspace(1.0, 9.0, 5))
        self.mobility = nn.Parameter(torch.tensor(0.1))
        self.phase = "opening"

    @torch.compile(backend="eager")
    def evaluate(self, counts, moves):
        material = (counts * self.pieces).sum(dim=1)
        if self.phase == "opening":
            return material + self.mobility * moves
        return material + 0.5 * self.mobility * moves.sqrt()


def games():
    counts = torch.cos(torch.arange(15.0)).view(3, 5)
    return counts, torch.tensor([20.0, 31.0, 12.0])


class Match:
    def __init__(self, phases):
        self.model = Evaluation()
        self.phases = phases

    def play(self):
        counts, moves = games()
        for phase in self.phases:
            self.model.phase = phase
            loss = self.model.evaluate(counts, moves).square().mean()  #!
            loss.backward()
        model = self.model
        return {"model.pieces": model.pieces.grad}


def broken():
    return Match(["opening", "opening", "endgame", "endgame"]).play()


def fixed():
    return Match(["opening"] * 4).play()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
