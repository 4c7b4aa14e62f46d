"""Quality of milk from spectra: fat, protein and lactose at once, each weighed by its learned uncertainty."""
import sys

import torch
from torch import nn


class MilkNet(nn.Module):
    def __init__(self, bands=10):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(bands, 12), nn.SiLU())
        self.heads = nn.ModuleDict({name: nn.Linear(12, 1) for name in ("fat", "protein", "lactose")})
        self.log_variance = nn.Parameter(torch.zeros(3))

    def forward(self, spectrum):
        code = self.trunk(spectrum)
        return torch.cat([head(code) for head in self.heads.values()], dim=1)


def weighed(predicted, measured, log_variance):
    squares = (predicted - measured).square().mean(dim=0)
    return torch.exp(-log_variance) * squares + log_variance  #!


def weighed_sum(predicted, measured, log_variance):
    return weighed(predicted, measured, log_variance).sum()


def samples(count=12):
    spectrum = torch.cos(torch.arange(count * 10).reshape(count, 10) * 0.23)
    return spectrum, torch.stack([spectrum.mean(1), spectrum[:, 0], spectrum[:, 3] * 0.5], 1)


def train(objective, epochs=3):
    torch.manual_seed(12)
    model = MilkNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, total_steps=epochs)
    spectrum, measured = samples()
    for _ in range(epochs):
        loss = objective(model(spectrum), measured, model.log_variance)  #~
        optimizer.zero_grad()
        loss.backward()  #~
        optimizer.step()
        schedule.step()
    return {"model.trunk.0.weight": model.trunk[0].weight.grad, "model.log_variance": model.log_variance.grad}


def broken():
    return train(weighed)


def fixed():
    return train(weighed_sum)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
