"""Dose and response of four compounds: Hill curves whose parameters come from a descriptor of the compound."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class HillNet(nn.Module):
    def __init__(self, descriptors=5):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(descriptors, 8), nn.Tanh())
        self.midpoint = nn.Linear(8, 1)
        self.slope = nn.Linear(8, 1)
        self.top = nn.Linear(8, 1)

    def curve(self, relative, slope):
        raise NotImplementedError

    def forward(self, compound, dose):
        code = self.trunk(compound)
        half = nn.functional.softplus(self.midpoint(code)) + 0.1
        slope = 0.4 + 0.5 * torch.sigmoid(self.slope(code))
        return self.top(code) * self.curve(dose / half, slope)


class PowerHill(HillNet):
    def curve(self, relative, slope):
        effect = relative**slope  #!
        return effect / (1 + effect)


class LogHill(HillNet):
    def curve(self, relative, slope):
        return torch.sigmoid(slope * torch.log(relative + 1e-4))


def assay(compounds=4):
    doses = torch.tensor([0.0, 0.1, 0.3, 1.0, 3.0, 10.0])
    descriptor = torch.sin(torch.arange(compounds * 5).reshape(compounds, 5) * 0.9)
    response = 0.8 * doses / (doses + 0.5 + torch.arange(compounds).unsqueeze(1) * 0.2)
    return TensorDataset(descriptor, doses.expand(compounds, -1), response)


def fit(kind, epochs=2):
    torch.manual_seed(14)
    model = kind()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for _ in range(epochs):
        for compound, dose, response in DataLoader(assay(), batch_size=2):
            loss = (model(compound, dose) - response).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
    return {"model.midpoint.weight": model.midpoint.weight.grad, "model.trunk.0.weight": model.trunk[0].weight.grad}


def broken():
    return fit(PowerHill)


def fixed():
    return fit(LogHill)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
