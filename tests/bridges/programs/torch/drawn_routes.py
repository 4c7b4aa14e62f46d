"""A gate draws one of several experts for each ferry; their forecasts are compared with what came."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, slope):
        super().__init__()
        self.line = nn.Linear(3, 1)
        nn.init.constant_(self.line.weight, slope)
        nn.init.zeros_(self.line.bias)

    def forward(self, weather):
        return self.line(weather).squeeze(-1)


class Mixture(nn.Module):
    def __init__(self, experts=3):
        super().__init__()
        self.gate = nn.Linear(3, experts)
        self.experts = nn.ModuleList([Expert(0.2 * (k + 1)) for k in range(experts)])
        with torch.no_grad():
            self.gate.weight.copy_(torch.linspace(-1.0, 1.0, 9).view(3, 3))
            self.gate.bias.zero_()

    def forward(self, weather):
        odds = F.softmax(self.gate(weather), dim=-1)
        chosen = torch.multinomial(odds, 1)  #!
        forecasts = torch.stack([expert(weather) for expert in self.experts], dim=-1)
        return forecasts.gather(-1, chosen).squeeze(-1)


class SoftMixture(Mixture):
    def forward(self, weather):
        odds = F.softmax(self.gate(weather), dim=-1)
        forecasts = torch.stack([expert(weather) for expert in self.experts], dim=-1)
        return (odds * forecasts).sum(dim=-1)


def train(kind):
    torch.manual_seed(3)
    mixture = kind()
    optimizer = torch.optim.SGD(mixture.parameters(), lr=0.05)
    for step in range(3):
        weather = torch.sin(torch.arange(24.0).view(8, 3) + step)
        loss = F.mse_loss(mixture(weather), weather.sum(dim=1))
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
    return {"mixture.gate.weight": mixture.gate.weight.grad}


def broken():
    return train(Mixture)


def fixed():
    return train(SoftMixture)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
