"""Controls a dam's valve with a smooth step that has a gradient written by hand."""
import sys

import torch


class SoftGate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, level, sharpness):
        opened = torch.sigmoid(sharpness * level)
        ctx.save_for_backward(level, sharpness, opened)
        return opened

    @staticmethod
    def backward(ctx, cotangent):
        level, sharpness, opened = ctx.saved_tensors
        slope = opened * (1 - opened) * cotangent
        return slope * sharpness, None  #~


class FullGate(SoftGate):
    @staticmethod
    def backward(ctx, cotangent):
        level, sharpness, opened = ctx.saved_tensors
        slope = opened * (1 - opened) * cotangent
        return slope * sharpness, (slope * level).sum()


class Valve:
    def __init__(self, gate):
        self.gate = gate
        self.crest = torch.tensor(1.2, requires_grad=True)
        self.sharpness = torch.tensor(2.0, requires_grad=True)

    def flow(self, level):
        over = level - self.crest
        return 3.0 * self.gate.apply(over, self.sharpness)  #!

    def parameters(self):
        return [self.crest, self.sharpness]


def tune(gate):
    valve = Valve(gate)
    levels, wanted = torch.linspace(0.5, 2.5, 9), torch.linspace(0.0, 3.0, 9)
    optimizer = torch.optim.SGD(valve.parameters(), lr=0.05)
    for _ in range(4):
        optimizer.zero_grad()
        (valve.flow(levels) - wanted).square().mean().backward()
        optimizer.step()
    crest, sharpness = valve.parameters()
    return {"crest": crest.grad, "sharpness": sharpness.grad}


def broken():
    return tune(SoftGate)


def fixed():
    return tune(FullGate)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
