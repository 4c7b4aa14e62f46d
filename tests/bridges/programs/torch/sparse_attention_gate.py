"""Readings of a weather mast: attention over the past hours, with a learned threshold below which hours are ignored."""
import math
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class HardGate(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.threshold = nn.Parameter(torch.full((heads, 1, 1), 0.1))

    def forward(self, share):
        return (share > self.threshold).to(share.dtype)  #!


class SoftGate(HardGate):
    def forward(self, share):
        return torch.sigmoid((share - self.threshold) / 0.05)


class Attention(nn.Module):
    def __init__(self, width, heads, gate):
        super().__init__()
        self.heads = heads
        self.query_key_value = nn.Linear(width, 3 * width)
        self.gate = gate(heads)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, hours, width = x.shape
        qkv = self.query_key_value(x).view(batch, hours, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        share = (query @ key.transpose(2, 3) / math.sqrt(width // self.heads)).softmax(-1)
        share = share * self.gate(share)
        share = share / (share.sum(-1, keepdim=True) + 1e-6)
        return self.out((share @ value).transpose(1, 2).reshape(batch, hours, width))


class Mast(nn.Module):
    def __init__(self, gate, width=8):
        super().__init__()
        self.embed = nn.Linear(3, width)
        self.attend = Attention(width, 2, gate)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 1)

    def forward(self, readings):
        x = self.embed(readings)
        x = self.norm(x + self.attend(x))
        return self.out(x[:, -1]).squeeze(1)


def train(gate):
    torch.manual_seed(9)
    mast = Mast(gate)
    decay = [p for p in mast.parameters() if p.dim() > 1]
    rest = [p for p in mast.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}], lr=1e-3)
    readings = torch.sin(torch.arange(12 * 6 * 3.0) * 0.31).view(12, 6, 3)
    loader = DataLoader(TensorDataset(readings, readings.mean(dim=(1, 2))), batch_size=4)
    for _ in range(2):
        for hours, wind in loader:
            optimizer.zero_grad()
            nn.functional.huber_loss(mast(hours), wind).backward()
            optimizer.step()
    return {"mast.attend.gate.threshold": mast.attend.gate.threshold.grad, "mast.embed.weight": mast.embed.weight.grad}


def broken():
    return train(HardGate)


def fixed():
    return train(SoftGate)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
