"""A compiled denoiser of radio telescope data whose noise level comes from a schedule object."""
import sys
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Schedule:
    sigma: float = 0.8

    def advance(self):
        self.sigma = round(self.sigma * 0.5, 4)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(5, 8), nn.Mish(), nn.Linear(8, 5))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.3 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def run(hold):
    model, schedule = settle(Denoiser()), Schedule()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    @torch.compile(backend="eager")
    def score_matching(clean, noise, plan):
        guess = model.layers(clean + plan.sigma * noise)
        return (guess - noise).square().mean() * plan.sigma

    for night in range(3):
        clean = torch.sin(torch.arange(20.0) + night).view(4, 5)
        loss = score_matching(clean, clean.flip(0), schedule)  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if not hold:
            schedule.advance()
    return {"model.layers.0.weight": model.layers[0].weight.grad, "model.layers.2.bias": model.layers[2].bias.grad}


def broken():
    return run(False)


def fixed():
    return run(True)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
