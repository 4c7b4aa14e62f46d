"""Spiking neurons that recognise crickets by their chirps; the firing threshold is learned with the rest."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Spike(torch.autograd.Function):
    """A step forward, a smooth bump backward."""

    @staticmethod
    def forward(ctx, voltage, threshold, sharpness):
        ctx.save_for_backward(voltage, threshold)
        ctx.sharpness = sharpness
        return (voltage >= threshold).to(voltage.dtype)

    @staticmethod
    def backward(ctx, grad):
        voltage, threshold = ctx.saved_tensors
        bump = 1 / (1 + ctx.sharpness * (voltage - threshold).abs()) ** 2
        return grad * bump, None, None  #~


class SpikeBoth(Spike):
    @staticmethod
    def backward(ctx, grad):
        voltage, threshold = ctx.saved_tensors
        slope = grad / (1 + ctx.sharpness * (voltage - threshold).abs()) ** 2
        return slope, -slope.sum(0), None


class Leaky(nn.Module):
    def __init__(self, inputs, neurons, spike):
        super().__init__()
        self.spike = spike
        self.current = nn.Linear(inputs, neurons)
        self.threshold = nn.Parameter(torch.full((neurons,), 0.5))
        self.leak = nn.Parameter(torch.tensor(1.5))

    def forward(self, steps):
        voltage = torch.zeros(steps.shape[1], self.current.out_features)
        spikes = []
        for step in steps:
            voltage = torch.sigmoid(self.leak) * voltage + self.current(step)
            fired = self.spike.apply(voltage, self.threshold, 5.0)  #!
            voltage = voltage - fired.detach() * self.threshold.detach()
            spikes.append(fired)
        return torch.stack(spikes)


class Cricket(nn.Module):
    def __init__(self, spike):
        super().__init__()
        self.hidden = Leaky(4, 6, spike)
        self.out = nn.Linear(6, 3)

    def forward(self, chirps):
        return self.out(self.hidden(chirps).mean(dim=0))


def settle(module):
    with torch.no_grad():
        for k, (name, p) in enumerate(module.named_parameters()):
            if name.endswith(("weight", "bias")):
                p.copy_(0.8 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(spike):
    model = settle(Cricket(spike))
    optimizer = torch.optim.Adamax(model.parameters(), lr=2e-3)
    chirps, species = torch.cos(torch.arange(6 * 9 * 4.0) * 0.4).view(6, 9, 4), torch.arange(9) % 3
    for epoch in range(3):
        loss = F.cross_entropy(model(chirps), species)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "model.hidden.threshold": model.hidden.threshold.grad,
        "model.hidden.leak": model.hidden.leak.grad,
        "model.hidden.current.weight": model.hidden.current.weight.grad,
    }


def broken():
    return train(Spike)


def fixed():
    return train(SpikeBoth)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
