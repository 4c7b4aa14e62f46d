"""A frozen reader of bird reports gets pictures by gated cross attention that starts closed."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class GatedCross(nn.Module):
    def __init__(self, width, gate):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.gate = nn.Parameter(torch.full((1,), gate))

    def attend(self, words, pixels):
        scores = self.query(words) @ self.key(pixels).transpose(1, 2) / words.shape[-1] ** 0.5
        return scores.softmax(dim=-1) @ self.value(pixels)

    def forward(self, words, pixels):
        return words + torch.tanh(self.gate) * self.attend(words, pixels)  #!


class Reporter(nn.Module):
    def __init__(self, gate, width=4):
        super().__init__()
        self.reader = nn.GRU(width, width, batch_first=True)
        self.cross = GatedCross(width, gate)
        self.count = nn.Linear(width, 1)

    def forward(self, words, pixels):
        read, _ = self.reader(words)
        return self.count(self.cross(read, pixels).mean(dim=1)).squeeze(-1)


def freeze(module):
    for p in module.parameters():
        p.requires_grad_(False)
    return module.eval()


def train(gate):
    model = Reporter(gate)
    with torch.no_grad():
        for k, (name, p) in enumerate(model.named_parameters()):
            if not name.endswith("gate"):
                p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    freeze(model.reader)
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=1e-3)
    words = torch.sin(torch.arange(48.0).view(4, 3, 4) * 0.4)
    pixels = torch.cos(torch.arange(80.0).view(4, 5, 4) * 0.3)
    loss = F.poisson_nll_loss(model(words, pixels), torch.tensor([2.0, 0.0, 1.0, 3.0]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return {
        "model.cross.value.weight": model.cross.value.weight.grad,
        "model.cross.query.weight": model.cross.query.weight.grad,
        "model.cross.gate": model.cross.gate.grad,
    }


def broken():
    return train(0.0)


def fixed():
    return train(0.1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
