"""Which voice in a madrigal leads? Attention between voices; inputs are loudness in raw units."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class VoiceAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width)
        self.factor = float(width) ** 2

    def forward(self, voices):
        scores = self.query(voices) @ self.key(voices).transpose(1, 2)
        share = torch.softmax(scores * self.factor, dim=-1)  #!
        return share @ self.value(voices)


class ScaledVoiceAttention(VoiceAttention):
    def __init__(self, width):
        super().__init__(width)
        self.factor = float(width) ** -0.5 / 400


class Leader(nn.Module):
    def __init__(self, attention, width=4, voices=3):
        super().__init__()
        self.attend = attention(width)
        self.out = nn.Linear(width * voices, voices)

    def forward(self, voices):
        mixed = self.attend(voices)
        return self.out(torch.tanh(mixed / 20).flatten(1))


def madrigals(count=12):
    loud = 20 * torch.sin(torch.arange(count * 12.0) * 1.9).view(count, 3, 4)
    return TensorDataset(loud, loud.mean(2).argmax(1))


def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        right = sum((model(v).argmax(1) == who).sum().item() for v, who in loader)
    model.train()
    return right


def train(attention):
    torch.manual_seed(21)
    model = Leader(attention)
    with torch.no_grad():
        eye = torch.eye(4)
        model.attend.query.weight.copy_(eye + 0.1 * torch.sin(torch.arange(16.0)).view(4, 4))
        model.attend.key.weight.copy_(eye)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    loader = DataLoader(madrigals(), batch_size=6)
    for _ in range(2):
        for voices, leader in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(voices), leader).backward()
            optimizer.step()
        evaluate(model, loader)
    return {
        "model.attend.query.weight": model.attend.query.weight.grad,
        "model.attend.key.weight": model.attend.key.weight.grad,
        "model.attend.value.weight": model.attend.value.weight.grad,
    }


def broken():
    return train(VoiceAttention)


def fixed():
    return train(ScaledVoiceAttention)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
