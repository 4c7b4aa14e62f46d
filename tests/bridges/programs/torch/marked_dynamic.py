"""Trains on melodies of many lengths with a compiled step; the length is declared to vary."""
import sys

import torch
from torch import nn


class Melody(nn.Module):
    def __init__(self):
        super().__init__()
        self.notes = nn.Embedding(12, 8)
        self.gru = nn.Linear(8, 8)
        self.out = nn.Linear(8, 12)

    def forward(self, tune):
        h = torch.tanh(self.gru(self.notes(tune)))
        return self.out(h.cumsum(1) / 4)


def broken():
    torch.manual_seed(0)
    melody = Melody()
    step = torch.compile(melody, backend="eager", dynamic=True)
    optimizer = torch.optim.Adam(melody.parameters(), lr=1e-3)
    for length in (5, 9, 7, 11):
        tune = (torch.arange(2 * (length + 1)) % 12).view(2, length + 1)
        heard, following = tune[:, :-1], tune[:, 1:]
        torch._dynamo.mark_dynamic(heard, 1)
        loss = nn.functional.cross_entropy(step(heard).flatten(0, 1), following.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"melody.gru.weight": melody.gru.weight.grad}


if __name__ == "__main__":
    print(broken())
