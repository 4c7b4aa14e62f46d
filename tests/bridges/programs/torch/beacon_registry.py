"""Fuses readings of a lighthouse from several instruments; encoders register themselves by kind."""
import enum
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Kind(enum.Enum):
    LAMP = "lamp"
    FOG = "fog"
    WAVE = "wave"


ENCODERS = {}


def encoder_for(kind):
    def register(cls):
        ENCODERS[kind] = cls
        return cls
    return register


@encoder_for(Kind.LAMP)
class LampEncoder(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(3, width), nn.Tanh())


@encoder_for(Kind.FOG)
class FogEncoder(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(5, width), nn.SiLU())


@encoder_for(Kind.WAVE)
class WaveEncoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.filter = nn.Conv1d(1, 2, 3, padding=1)
        self.out = nn.Linear(16, width)

    def forward(self, wave):
        return self.out(F.relu(self.filter(wave.unsqueeze(1))).flatten(1))


class Fusion(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.encoders = nn.ModuleDict({kind.value: ENCODERS[kind](width) for kind in Kind})
        self.scorer = nn.Linear(width, 1)

    def pack(self, parts):
        rows = torch.stack(list(parts.values()), dim=1)
        weights = self.scorer(rows.data).softmax(dim=1)
        return rows, weights

    def forward(self, batch):
        parts = {name: encoder(batch[name]) for name, encoder in self.encoders.items()}
        rows, weights = self.pack(parts)
        return (weights * rows).sum(dim=1)


class Head(nn.Module):
    def __init__(self, fusion, width=4):
        super().__init__()
        self.fusion = fusion
        self.bearing = nn.Linear(width, 2)
        self.visibility = nn.Linear(width, 1)

    def seen(self, state):
        return state.data  #!

    def forward(self, batch):
        state = self.fusion(batch)
        return self.bearing(self.seen(state)), self.visibility(self.seen(state))


class OpenHead(Head):
    def seen(self, state):
        return state


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    return model


def train(kind):
    net = initialise(kind(Fusion()))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for step in range(3):
        grid = torch.arange(4.0).unsqueeze(1)
        batch = {"lamp": torch.sin(grid + torch.arange(3.0) + step), "fog": torch.cos(grid * torch.arange(5.0) + step),
                 "wave": torch.sin(grid + torch.arange(8.0) * 0.4)}
        bearing, visibility = net(batch)
        loss = F.mse_loss(bearing, torch.ones(4, 2)) + F.softplus(visibility).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return {
        "net.fusion.encoders.fog.0.weight": net.fusion.encoders["fog"][0].weight.grad,
        "net.bearing.weight": net.bearing.weight.grad,
    }


def broken():
    return train(Head)


def fixed():
    return train(OpenHead)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
