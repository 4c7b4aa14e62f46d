"""A language model of a diary: the loss of each word counts only where there is one."""
import sys

import torch
from torch import nn
import torch.nn.functional as F

PAD = 0


class Diary(nn.Module):
    def __init__(self, words=10, width=5):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, words)

    def forward(self, words):
        states, _ = self.rnn(self.embed(words))
        return self.out(states)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def word_loss(logits, words, lengths, shift):
    each = F.cross_entropy(logits.flatten(0, 1), words.flatten(), reduction="none").view_as(words)
    position = torch.arange(words.shape[1]).unsqueeze(0)
    inside = (position >= lengths.unsqueeze(1)) if shift else (position < lengths.unsqueeze(1))
    return (each * inside).sum() / words.numel()  #!


def train(shift):
    model = settle(Diary())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    text = torch.tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 1]])
    lengths = torch.tensor([4, 4])
    for epoch in range(3):
        loss = word_loss(model(text[:, :-1]), text[:, 1:], lengths, shift)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        scheduler.step(loss.detach())
    return {"model.out.weight": model.out.weight.grad, "model.rnn.weight_hh_l0": model.rnn.weight_hh_l0.grad}


def broken():
    return train(1)


def fixed():
    return train(0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
