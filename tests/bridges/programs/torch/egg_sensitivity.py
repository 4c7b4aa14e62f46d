"""Gradients per egg for a clipping that protects each farmer, by torch.func."""
import sys

import torch
from torch import nn
from torch.func import functional_call, grad, vmap


def scale():
    model = nn.Sequential(nn.Linear(3, 4), nn.Softplus(), nn.Linear(4, 1))
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.3 + k).view_as(p))
    return model


def loss_of(weights, model, egg, weight):
    return (functional_call(model, weights, (egg.unsqueeze(0),)).squeeze() - weight).square()


def clipped(model, eggs, weights_of_eggs, bound):
    weights = {name: p.detach() for name, p in model.named_parameters()}
    slopes = vmap(grad(loss_of), in_dims=(None, None, 0, 0))(weights, model, eggs, weights_of_eggs)
    norms = torch.stack([slope.flatten(1).norm(dim=1) for slope in slopes.values()]).norm(dim=0)
    factor = (bound / (norms + 1e-6)).clamp(max=1.0)
    return {name: torch.einsum("e,e...->...", factor, slope) / len(eggs) for name, slope in slopes.items()}


def train():
    model = scale()
    eggs, grams = torch.sin(torch.arange(18.0)).view(6, 3), torch.linspace(0.2, 0.8, 6)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        for name, slope in clipped(model, eggs, grams, 0.5).items():
            model.get_parameter(name).grad = slope
        optimizer.step()
    return {"model.0.weight": model[0].weight.grad, "model.2.weight": model[2].weight.grad}


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
