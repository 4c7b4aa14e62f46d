"""Salinity of a lagoon, trained in functional style with a dictionary of parameters."""
import sys

import torch
from torch import nn
from torch.func import functional_call, grad_and_value


class Lagoon(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(3, 4)
        self.salt = nn.Linear(4, 1)

    def forward(self, x):
        return self.salt(torch.tanh(self.mix(x))).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module


def train():
    model = settle(Lagoon())
    params = {name: p.detach().clone() for name, p in model.named_parameters()}
    momentum = {name: torch.zeros_like(p) for name, p in params.items()}
    x = torch.cos(torch.arange(18.0)).view(6, 3)
    y = x.prod(dim=1)

    def loss_of(params, x, y):
        return nn.functional.mse_loss(functional_call(model, params, (x,)), y)

    step = grad_and_value(loss_of)
    for _ in range(3):
        gradients, loss = step(params, x, y)
        for name in params:
            momentum[name] = 0.9 * momentum[name] + gradients[name]
            params[name] = params[name] - 0.05 * momentum[name]
    model.load_state_dict(params)
    final = loss_of(dict(model.named_parameters()), x, y)
    final.backward()
    return {"model.mix.weight": model.mix.weight.grad, "model.salt.weight": model.salt.weight.grad}


def broken():
    return train()

if __name__ == "__main__":
    print(broken())
