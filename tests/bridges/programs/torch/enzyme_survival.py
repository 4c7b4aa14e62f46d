"""Survival of enzymes under heat: a hazard per hour, from which the share that is still active follows."""
import sys

import torch
from torch import nn


class Hazard(nn.Module):
    def __init__(self, residues=6, hours=5):
        super().__init__()
        self.embed = nn.Embedding(20, residues)
        self.mix = nn.GRU(residues, 8, batch_first=True)
        self.rate = nn.Linear(8, hours)

    def forward(self, sequence):
        _, last = self.mix(self.embed(sequence))
        return torch.sigmoid(self.rate(last[-1]))


def survival_in_place(hazard):
    """The share still active after each hour."""
    active = 1 - hazard
    active = torch.exp(torch.log(active))
    for hour in range(1, active.shape[1]):
        active[:, hour] *= active[:, hour - 1]  #!
    return active


def survival(hazard):
    return torch.cumprod(1 - hazard, dim=1)


def likelihood(active, hazard, failed_at):
    index = failed_at.unsqueeze(1)
    return -(active.gather(1, index).log() + hazard.gather(1, index).log()).mean()


def proteins(count=6, length=7):
    return torch.arange(count * length).reshape(count, length) * 3 % 20, torch.arange(count) % 5


def train(share, steps=3):
    torch.manual_seed(23)
    model = Hazard()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    sequence, failed_at = proteins()
    losses = []
    for _ in range(steps):
        hazard = model(sequence)
        loss = likelihood(share(hazard), hazard, failed_at)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    return {"model.rate.weight": model.rate.weight.grad, "model.embed.weight": model.embed.weight.grad}


def broken():
    return train(survival_in_place)


def fixed():
    return train(survival)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
