"""Reads blinks from a camera: connectionist temporal classification of short clips."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Blinks(nn.Module):
    def __init__(self, labels=4):
        super().__init__()
        self.rnn = nn.RNN(2, 6, batch_first=True)
        self.out = nn.Linear(6, labels)

    def forward(self, x):
        return self.out(self.rnn(x)[0]).log_softmax(dim=-1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def loss(self, clips, labels, lengths):
        logs = self.model(clips).transpose(0, 1)
        frames = torch.full((len(clips),), clips.shape[1])
        return F.ctc_loss(logs, labels, frames, lengths)  #!

    def step(self, clips, labels, lengths):
        loss = self.loss(clips, labels, lengths)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def train(lengths):
    blinks = settle(Blinks())
    trainer = Trainer(blinks)
    labels = torch.tensor([[1, 2, 3, 1], [2, 2, 2, 2], [3, 1, 0, 0]])
    for step in range(2):
        trainer.step(torch.sin(torch.arange(30.0) + step).view(3, 5, 2), labels, torch.tensor(lengths))
    return {"blinks.out.weight": blinks.out.weight.grad}


def broken():
    return train([4, 4, 2])


def fixed():
    return train([4, 3, 2])

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
