"""Quantization-aware training of a bell classifier: weights on a grid by a parametrization."""
import sys

import torch
from torch import nn
from torch.nn.utils.parametrize import register_parametrization


class OnGrid(nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.levels = 2 ** (bits - 1) - 1

    def forward(self, weight):
        scale = weight.detach().abs().max() / self.levels
        return torch.round(weight / scale) * scale  #!


class OnGridStraight(OnGrid):
    def forward(self, weight):
        return weight + (super().forward(weight) - weight).detach()


def quantized(model, kind, bits=4):
    for module in model:
        if isinstance(module, nn.Linear):
            register_parametrization(module, "weight", kind(bits))
    return model


def train(kind):
    torch.manual_seed(0)
    model = quantized(nn.Sequential(nn.Linear(6, 8), nn.Hardswish(), nn.Linear(8, 3)), kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sound = torch.sin(torch.arange(30.0)).view(5, 6)
    for _ in range(3):
        loss = nn.functional.multi_margin_loss(model(sound), torch.tensor([0, 1, 2, 0, 1]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.0.parametrizations.weight.original": model[0].parametrizations.weight.original.grad, "model.2.bias": model[2].bias.grad}


def broken():
    return train(OnGrid)


def fixed():
    return train(OnGridStraight)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
