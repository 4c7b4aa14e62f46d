"""A recurrent Q-network for a diving robot that continues from the state of the last dive."""
import collections
import sys

import torch
from torch import nn


class Diver(nn.Module):
    def __init__(self, hidden=6):
        super().__init__()
        self.cell = nn.GRUCell(3, hidden)
        self.value = nn.Linear(hidden, 2)

    def forward(self, seen, state):
        state = self.cell(seen, state)  #!
        return self.value(state), state


class Memory:
    def __init__(self, size, keep):
        self.dives = collections.deque(maxlen=size)
        self.keep = keep

    def push(self, seen, state, reward):
        self.dives.append((seen, self.keep(state), reward))

    def latest(self):
        return self.dives[-1]


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module


def train(keep):
    diver, memory = settle(Diver()), Memory(8, keep)
    optimizer = torch.optim.RMSprop(diver.parameters(), lr=1e-4)
    memory.push(torch.zeros(2, 3), torch.zeros(2, 6), torch.zeros(2))
    for dive in range(3):
        _, state, reward = memory.latest()
        seen = torch.sin(torch.arange(6.0) + dive).view(2, 3)
        values, state = diver(seen, state)
        loss = (values.max(dim=1).values - reward).square().mean()
        loss.backward()
        memory.push(seen, state, seen.mean(dim=1))
    optimizer.step()
    return {"diver.cell.weight_hh": diver.cell.weight_hh.grad}


def broken():
    return train(lambda state: state)


def fixed():
    return train(torch.Tensor.detach)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
