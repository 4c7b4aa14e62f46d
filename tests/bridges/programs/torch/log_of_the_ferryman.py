"""A ferryman's memory of crossings, carried from one day to the next."""
import sys

import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, width, forget_history):
        super().__init__()
        self.write = nn.Linear(3 + width, width)
        self.read = nn.Linear(width, 1)
        self.forget_history = forget_history
        self.state = torch.zeros(4, width)

    def forward(self, crossing):
        held = self.state.detach() if self.forget_history else self.state
        self.state = torch.tanh(self.write(torch.cat([crossing, held], 1)))  #!
        return self.read(self.state).squeeze(1)


def ferry(forget_history):
    torch.manual_seed(21)
    memory = Memory(5, forget_history)
    optimizer = torch.optim.Adam(memory.parameters())
    for day in range(3):
        crossing = torch.sin(torch.arange(12.0) + day).view(4, 3)
        toll = crossing.mean(1).exp()
        loss = (memory(crossing) - toll).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"memory.write.weight": memory.write.weight.grad}


def broken():
    return ferry(forget_history=False)


def fixed():
    return ferry(forget_history=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
