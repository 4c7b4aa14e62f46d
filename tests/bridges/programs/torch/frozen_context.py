"""Style transfer between herbaria with a perceptual encoder that is frozen for a while."""
import contextlib
import sys

import torch
from torch import nn


@contextlib.contextmanager
def frozen(module):
    kept = [p.requires_grad for p in module.parameters()]
    module.requires_grad_(False)
    try:
        yield module
    finally:
        for p, on in zip(module.parameters(), kept):
            p.requires_grad_(on)  #~


@contextlib.contextmanager
def as_is(module):
    yield module


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 3, 3, padding=1)

    def forward(self, x):
        return torch.tanh(self.conv(x)).mean(dim=-1)  #!


def settle(module, shift):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.6 * torch.sin(torch.arange(p.numel()) + k + shift).view_as(p))
    return module


def train(hold):
    encoder, painter = settle(Encoder(), 0.0), settle(nn.Conv1d(1, 1, 3, padding=1), 1.0)
    optimizer = torch.optim.Adamax([*encoder.parameters(), *painter.parameters()], lr=1e-3)
    plain = torch.linspace(-1, 1, 24).view(2, 1, 12)
    for _ in range(2):
        with hold(encoder):
            features = encoder(painter(plain))
        loss = (features - 0.3).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"encoder.conv.weight": encoder.conv.weight.grad, "painter.weight": painter.weight.grad}


def broken():
    return train(frozen)


def fixed():
    return train(as_is)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
