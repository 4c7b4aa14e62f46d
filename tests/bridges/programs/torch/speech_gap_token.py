"""Transcribes field recordings; the vector of the gap between words is to stay zero."""
import sys

import torch
from torch import nn

GAP = 0


class Transcriber(nn.Module):
    def __init__(self, phones=9, width=8):
        super().__init__()
        self.phones = nn.Embedding(phones, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.next = nn.Linear(width, phones)

    def hold_gap(self):
        raise NotImplementedError

    def forward(self, heard):
        self.hold_gap()
        states, _ = self.rnn(self.phones(heard))
        return self.next(states)


class WritingTranscriber(Transcriber):
    def hold_gap(self):
        self.phones.weight[GAP] = 0.0  #!


class QuietTranscriber(Transcriber):
    def hold_gap(self):
        with torch.no_grad():
            self.phones.weight[GAP] = 0.0


def recordings(count=4, length=8):
    heard = torch.arange(count * length).reshape(count, length) * 5 % 9
    return heard[:, :-1], heard[:, 1:]


def train(kind, steps=3):
    torch.manual_seed(6)
    model = kind()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    heard, following = recordings()
    for _ in range(steps):
        logits = model(heard)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), following.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.phones.weight": model.phones.weight.grad}


def broken():
    return train(WritingTranscriber)


def fixed():
    return train(QuietTranscriber)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
