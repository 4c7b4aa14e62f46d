"""Continues peals of bells; the state before the first stroke is learned."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Ringer(nn.Module):
    def __init__(self, bells=6, dim=6):
        super().__init__()
        self.embed = nn.Embedding(bells, dim)
        self.lstm = nn.LSTM(dim, dim, batch_first=True)
        self.first = nn.Parameter(torch.linspace(-0.2, 0.2, 2 * dim).view(2, 1, 1, dim))
        self.next = nn.Linear(dim, bells)

    def start(self, count):
        hidden, cell = self.first.expand(-1, -1, count, -1).unbind(dim=0)
        return hidden.contiguous(), cell.contiguous()

    def forward(self, strokes, state=None):
        if state is None:  #!
            state = self.start(len(strokes))
        out, state = self.lstm(self.embed(strokes), state)
        return self.next(out), state


class Peal:
    def __init__(self, model, begin):
        self.model, self.begin = model, begin
        self.optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

    def rehearse(self, strokes, chunk=5):
        state = self.begin(self.model, len(strokes))
        for k in range(0, strokes.shape[1] - 1, chunk):
            part, following = strokes[:, k:k + chunk], strokes[:, k + 1:k + chunk + 1]
            scores, state = self.model(part, state)
            loss = F.cross_entropy(scores.flatten(0, 1), following.flatten())
            loss.backward()
            state = tuple(s.detach() for s in state)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()


def from_silence(model, count):
    zeros = torch.zeros(1, count, model.lstm.hidden_size)
    return zeros, zeros.clone()


def from_learned(model, count):
    return None


def settle(module):
    with torch.no_grad():
        for k, (name, p) in enumerate(module.named_parameters()):
            if name != "first":
                p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(begin):
    model = settle(Ringer())
    peal = Peal(model, begin)
    strokes = (torch.arange(44).view(4, 11) * 5 + 2) % 6
    for evening in range(2):
        peal.optimizer.zero_grad()
        peal.rehearse(strokes)
    return {"model.first": model.first.grad, "model.lstm.weight_hh_l0": model.lstm.weight_hh_l0.grad}


def broken():
    return train(from_silence)


def fixed():
    return train(from_learned)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
