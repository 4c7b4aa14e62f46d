"""Answers questions about letters of an archive, which are kept in slots of a memory."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Archive(nn.Module):
    def __init__(self, slots=4, width=3):
        super().__init__()
        self.write = nn.Linear(5, width)
        self.query = nn.Linear(5, width)
        self.register_buffer("slots", torch.zeros(slots, width))
        self.next = 0

    def store(self, letter):
        for row in torch.tanh(self.write(letter)):
            with torch.no_grad():
                self.slots[self.next % len(self.slots)] = row  #!
            self.next += 1

    def memory(self):
        return self.slots

    def forward(self, letters, question):
        self.store(letters)
        weights = (self.query(question) @ self.memory().t()).softmax(dim=-1)
        return weights @ self.memory()


class OpenArchive(Archive):
    def store(self, letter):
        self.rows = torch.tanh(self.write(letter))

    def memory(self):
        return self.rows


def initialise(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.4 + k).view_as(p))
    return module


def train(kind):
    archive = initialise(kind())
    optimizer = torch.optim.Adam(archive.parameters(), lr=1e-2)
    for step in range(3):
        letters = torch.sin(torch.arange(20.0).view(4, 5) * 0.3 + step)
        question = torch.cos(torch.arange(10.0).view(2, 5) + step)
        answer = archive(letters, question)
        loss = F.mse_loss(answer, question[:, :3])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"archive.write.weight": archive.write.weight.grad, "archive.query.weight": archive.query.weight.grad}


def broken():
    return train(Archive)


def fixed():
    return train(OpenArchive)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
