"""A hand whose spread is bounded."""
import sys

import torch


def train(start):
    log_std = torch.full((2,), start, requires_grad=True)
    mean = torch.zeros(2, requires_grad=True)
    spread = log_std.clamp(-5.0, 2.0).exp()  #!
    moves = torch.linspace(-1, 1, 8).view(4, 2)
    loss = -torch.distributions.Normal(mean, spread).log_prob(moves).mean()
    loss.backward()
    return {"log_std": log_std.grad, "mean": mean.grad}


def broken():
    return train(-6.0)


def fixed():
    return train(-1.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
