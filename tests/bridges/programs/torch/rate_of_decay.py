"""The half life of a tracer; rates come from a configuration as numbers and become tensors too late."""
import sys
from dataclasses import dataclass

import torch


@dataclass
class Config:
    half_life: torch.Tensor
    start: torch.Tensor

    @property
    def rate(self):
        return 0.6931 / self.half_life.item()  #!


@dataclass
class TensorConfig(Config):
    @property
    def rate(self):
        return 0.6931 / self.half_life


def decay(config, hours):
    rate = torch.as_tensor(config.rate)  #~
    return config.start * torch.exp(-rate * hours)


def fit(kind):
    config = kind(torch.tensor(3.0, requires_grad=True), torch.tensor(10.0, requires_grad=True))
    hours, seen = torch.arange(5.0), torch.tensor([10.0, 8.0, 6.1, 5.0, 3.9])
    optimizer = torch.optim.Rprop([config.half_life, config.start], lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        (decay(config, hours) - seen).pow(2).sum().backward()
        optimizer.step()
    return {"config.half_life": config.half_life.grad, "config.start": config.start.grad}


def broken():
    return fit(Config)


def fixed():
    return fit(TensorConfig)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
