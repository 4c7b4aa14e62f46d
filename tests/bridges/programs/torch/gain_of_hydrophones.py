"""Calls of whales from several hydrophones; a hook brings each to its own level before the network."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Leveller(nn.Module):
    """Learns one gain for each hydrophone and applies it before `module` is called."""

    def __init__(self, hydrophones):
        super().__init__()
        self.gain = nn.Parameter(torch.linspace(0.8, 1.2, hydrophones))

    def levels(self):
        return [float(g) for g in self.gain]  #!

    def before(self, module, inputs):
        (calls,) = inputs
        return (torch.stack([call * level for call, level in zip(calls.unbind(1), self.levels())], dim=1),)

    def attach(self, module):
        return module.register_forward_pre_hook(self.before)


class OpenLeveller(Leveller):
    def levels(self):
        return self.gain.unbind()


class CallNet(nn.Module):
    def __init__(self, hydrophones=3):
        super().__init__()
        self.conv = nn.Conv1d(hydrophones, 4, 3, padding=1)
        self.out = nn.Linear(4, 2)

    def forward(self, calls):
        return self.out(F.gelu(self.conv(calls)).mean(dim=2))


def train(kind):
    leveller = kind(3)
    net = CallNet()
    with torch.no_grad():
        for k, p in enumerate(net.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    handle = leveller.attach(net)
    optimizer = torch.optim.Adam([{"params": net.parameters()}, {"params": leveller.parameters(), "lr": 1e-2}], lr=1e-3)
    for step in range(3):
        calls = torch.sin(torch.arange(96.0).view(4, 3, 8) * 0.3 + step)
        kind = torch.tensor([0, 1, 1, 0])
        loss = F.cross_entropy(net(calls), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    handle.remove()
    return {"leveller.gain": leveller.gain.grad, "net.conv.weight": net.conv.weight.grad}


def broken():
    return train(Leveller)


def fixed():
    return train(OpenLeveller)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
