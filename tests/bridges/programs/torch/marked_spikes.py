"""A spiking layer for a hearing aid: the surrogate slope is there, the output is marked by mistake."""
import sys

import torch
from torch import nn


class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, potential):
        ctx.save_for_backward(potential)
        spikes = (potential > 0).to(potential.dtype)
        ctx.mark_non_differentiable(spikes)
        return spikes

    @staticmethod
    def backward(ctx, grad):
        (potential,) = ctx.saved_tensors
        return grad / (1 + 10 * potential.abs()).square()


class SmoothSpike(Spike):
    @staticmethod
    def forward(ctx, potential):
        ctx.save_for_backward(potential)
        return (potential > 0).to(potential.dtype)


class Ear(nn.Module):
    def __init__(self, spike, leak=0.8):
        super().__init__()
        self.input = nn.Linear(4, 6)
        self.output = nn.Linear(6, 2)
        self.spike, self.leak = spike, leak

    def forward(self, sound):
        potential = torch.zeros(sound.shape[1], 6)
        counted = 0
        for moment in sound:
            potential = self.leak * potential + self.input(moment)
            fired = self.spike.apply(potential)  #!
            potential = potential - fired.detach()
            counted = counted + fired
        return self.output(counted / len(sound))


def hear(spike):
    torch.manual_seed(1)
    ear = Ear(spike)
    optimizer = torch.optim.Adam(ear.parameters(), lr=1e-2)
    sound = torch.sin(torch.arange(60.0) * 0.4).view(5, 3, 4)
    for _ in range(2):
        optimizer.zero_grad()
        nn.functional.cross_entropy(ear(sound), torch.tensor([0, 1, 1])).backward()
        optimizer.step()
    return {"ear.input.weight": ear.input.weight.grad, "ear.output.weight": ear.output.weight.grad}


def broken():
    return hear(Spike)


def fixed():
    return hear(SmoothSpike)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
