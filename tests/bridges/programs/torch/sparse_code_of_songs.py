"""Sparse codes of bird songs by a few unrolled steps of shrinkage with learned dictionaries."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Unrolled(nn.Module):
    def __init__(self, inputs=6, atoms=5, steps=2, threshold=0.1):
        super().__init__()
        self.analysis = nn.Linear(inputs, atoms, bias=False)
        self.lateral = nn.ModuleList([nn.Linear(atoms, atoms, bias=False) for _ in range(steps)])
        self.synthesis = nn.Linear(atoms, inputs)
        self.threshold = threshold

    def shrink(self, code):
        return F.relu(code - self.threshold)  #!

    def forward(self, song):
        drive = self.analysis(song)
        code = self.shrink(drive)
        for layer in self.lateral:
            code = self.shrink(drive - layer(code))
        return self.synthesis(code), code


def train(threshold):
    coder = Unrolled(threshold=threshold)
    with torch.no_grad():
        for k, p in enumerate(coder.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    optimizer = torch.optim.Adam(coder.parameters(), lr=1e-2)
    for step in range(3):
        song = torch.sin(torch.arange(48.0).view(8, 6) * 0.4 + step)
        rebuilt, code = coder(song)
        loss = F.mse_loss(rebuilt, song) + 0.01 * code.abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"coder.analysis.weight": coder.analysis.weight.grad, "coder.synthesis.bias": coder.synthesis.bias.grad}


def broken():
    return train(10.0)


def fixed():
    return train(0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
