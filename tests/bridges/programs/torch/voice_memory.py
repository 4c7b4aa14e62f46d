"""A recurrent reader of voice memos that carries its state from one piece to the next."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Memo(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 5)
        self.head = nn.Linear(5, 2)
        self.state = None

    def carried(self):
        return self.state

    def forward(self, piece):
        state = torch.zeros(2, 5) if self.state is None else self.carried()  #~
        for sound in piece.unbind(1):
            state = self.cell(sound, state)  #!
        self.state = state
        return self.head(state)


class TruncatedMemo(Memo):
    def carried(self):
        return self.state.detach()


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def pieces():
    for k in range(3):
        yield torch.cos(torch.arange(24.0).view(2, 4, 3) * 0.3 + k), torch.tensor([k % 2, 1])


def train(kind):
    model = initialise(kind())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for piece, label in pieces():
        loss = F.cross_entropy(model(piece), label)
        optimizer.zero_grad()
        loss.backward()
    optimizer.step()
    return {"model.cell.weight_hh": model.cell.weight_hh.grad}


def broken():
    return train(Memo)


def fixed():
    return train(TruncatedMemo)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
