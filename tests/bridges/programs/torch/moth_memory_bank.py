"""A memory of moths: the slots are written by a writer and read by attention, night after night."""
import sys

import torch
from torch import nn


class Bank(nn.Module):
    def __init__(self, slots=4, width=3):
        super().__init__()
        self.register_buffer("slots", torch.sin(torch.arange(float(slots * width))).view(slots, width))
        self.writer = nn.Linear(width, width)
        self.reader = nn.Linear(width, width)

    def write(self, k, moth):
        self.slots[k].data.copy_(self.writer(moth))  #!

    def read(self, moth):
        share = torch.softmax(self.reader(moth) @ self.slots.t(), dim=-1)
        return share @ self.slots


class FreshBank(Bank):
    def write(self, k, moth):
        mask = torch.zeros(len(self.slots), 1)
        mask[k] = 1
        self.slots = self.slots.detach() * (1 - mask) + self.writer(moth) * mask


def night(kind):
    torch.manual_seed(95)
    bank = kind()
    optimizer = torch.optim.SGD(bank.parameters(), lr=0.1)
    moths = torch.cos(torch.arange(12.0)).view(4, 3)
    for k, moth in enumerate(moths):
        optimizer.zero_grad()
        bank.write(k, moth)
        loss = (bank.read(moth) - moth).square().sum()
        loss.backward()
        optimizer.step()
    return {"bank.writer.weight": bank.writer.weight.grad, "bank.reader.weight": bank.reader.weight.grad}


def broken():
    return night(Bank)


def fixed():
    return night(FreshBank)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
