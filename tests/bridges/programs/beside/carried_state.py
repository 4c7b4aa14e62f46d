"""'Trying to backward through the graph a second time': backward() is called once a step."""
import torch
from torch import nn


class Voice(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.state = nn.GRUCell(2, 3), torch.zeros(1, 3)

    def forward(self, x):
        self.state = self.cell(x, self.state)
        return self.state.sum()


model, inputs = Voice(), torch.ones(1, 2)


def step():
    loss = model(inputs)
    loss.backward()


if __name__ == "__main__":
    for _ in range(3):
        step()
