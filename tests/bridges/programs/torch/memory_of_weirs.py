"""A key-value memory of weirs: the slots are parameters, a new observation overwrites the least used one."""
import sys

import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, slots=4, width=3):
        super().__init__()
        self.keys = nn.Parameter(torch.eye(slots, width))
        self.values = nn.Parameter(torch.arange(float(slots)).view(slots, 1))
        self.register_buffer("usage", torch.zeros(slots))

    def read(self, query):
        share = torch.softmax(query @ self.keys.T, dim=-1)
        self.usage += share.detach().sum(0)
        return share @ self.values

    def write(self, slot, key):
        self.keys[slot] = key  #!

    def remember(self, query):
        slot = int(self.usage.argmin())
        self.write(slot, query.mean(0))  #~


class CarefulMemory(Memory):
    def write(self, slot, key):
        with torch.no_grad():
            self.keys[slot] = key


def gauge(kind):
    memory = kind()
    optimizer = torch.optim.SGD(memory.parameters(), lr=0.1)
    flow = torch.sin(torch.arange(15.0)).view(5, 3)
    level = flow.sum(1, keepdim=True)
    for _ in range(3):
        loss = nn.functional.mse_loss(memory.read(flow), level)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        memory.remember(flow)
    return {"memory.keys": memory.keys.grad}


def broken():
    return gauge(Memory)


def fixed():
    return gauge(CarefulMemory)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
