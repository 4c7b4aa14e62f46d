"""Scores of a choir's notes: padded notes are not to count in the loss."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


class Notes(nn.Module):
    def __init__(self, pitches=9, width=6):
        super().__init__()
        self.embed = nn.Embedding(pitches, width, padding_idx=0)
        self.rnn = nn.LSTM(width, width, batch_first=True)
        self.score = nn.Linear(width, 1)

    def forward(self, notes):
        hidden, _ = self.rnn(self.embed(notes))
        return self.score(hidden).squeeze(2)


class Masked:
    """The mean of an error over the notes that are there."""

    def mask(self, notes):
        return notes.eq(0)

    def __call__(self, guess, scores, notes):
        mask = self.mask(notes).float()
        errors = F.smooth_l1_loss(guess, scores, reduction="none")
        return (errors * mask).sum() / mask.sum().clamp(min=1)  #!


class Present(Masked):
    def mask(self, notes):
        return notes.ne(0)


def collate(batch):
    notes, scores = zip(*batch)
    return pad_sequence(notes, batch_first=True), pad_sequence(scores, batch_first=True)


def songs(count=12):
    for k in range(count):
        length = 5
        yield (torch.arange(length) + k) % 8 + 1, torch.cos(torch.arange(float(length)) + k)


def train(masked):
    torch.manual_seed(44)
    model, loss_of = Notes(), masked()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for _ in range(2):
        for notes, scores in DataLoader(list(songs()), batch_size=4, collate_fn=collate):
            loss = loss_of(model(notes), scores, notes)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        schedule.step()
    return {"model.score.weight": model.score.weight.grad, "model.embed.weight": model.embed.weight.grad}


def broken():
    return train(Masked)


def fixed():
    return train(Present)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
