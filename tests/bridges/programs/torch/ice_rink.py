"""Temperature of an ice rink, fitted with functional gradients."""
import sys

import torch
from torch import nn
from torch.func import functional_call, grad


class Rink(nn.Module):
    def __init__(self):
        super().__init__()
        self.cool = nn.Linear(2, 3)
        self.out = nn.Linear(3, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.cool(x)))


def squared(parameters, model, x, wanted):
    return (functional_call(model, parameters, (x,)) - wanted).square().mean()


def functional_step(model, x, wanted):
    slopes = grad(squared)(dict(model.named_parameters()), model, x, wanted)  #!
    return sum(slope.abs().sum() for slope in slopes.values())


def plain_step(model, x, wanted):
    loss = squared(dict(model.named_parameters()), model, x, wanted)
    loss.backward()
    return loss


def train(step):
    model = Rink()
    x, wanted = torch.sin(torch.arange(8.0)).view(4, 2), torch.ones(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    step(model, x, wanted)
    optimizer.step()
    return {"model.cool.weight": model.cool.weight.grad, "model.out.bias": model.out.bias.grad}


def broken():
    return train(functional_step)


def fixed():
    return train(plain_step)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
