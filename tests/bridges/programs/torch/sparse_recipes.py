"""Learns vectors of ingredients with sparse gradients; two optimizers share the work."""

import torch
import torch.nn.functional as F
from torch import nn


class Recipes(nn.Module):
    def __init__(self, ingredients=40, dim=5):
        super().__init__()
        self.ingredients = nn.EmbeddingBag(ingredients, dim, mode="sum", sparse=True, padding_idx=0)
        self.taste = nn.Sequential(nn.Linear(dim, 8), nn.ReLU6(inplace=True), nn.Linear(8, 3))

    def forward(self, ids, offsets, amounts):
        return self.taste(self.ingredients(ids, offsets, per_sample_weights=amounts))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def bowls(count):
    ids = torch.arange(count * 4) * 7 % 12
    return ids, torch.arange(0, count * 4, 4), torch.linspace(0.5, 1.5, count * 4)


def limit(parameters, most):
    for p in parameters:
        p.register_hook(lambda grad: grad.clamp(-most, most))


def train():
    model = settle(Recipes())
    sparse = torch.optim.SparseAdam(model.ingredients.parameters(), lr=1e-2)
    dense = torch.optim.Adam(model.taste.parameters(), lr=1e-2)
    limit(model.taste.parameters(), 0.5)
    taste = torch.arange(6) % 3
    for epoch in range(3):
        for optimizer in (sparse, dense):
            optimizer.zero_grad()
        loss = F.cross_entropy(model(*bowls(6)), taste)
        loss.backward()
        for optimizer in (sparse, dense):
            optimizer.step()
    return {
        "model.ingredients.weight": model.ingredients.weight.grad.to_dense(),
        "model.taste.0.weight": model.taste[0].weight.grad,
        "model.taste.2.bias": model.taste[2].bias.grad,
    }


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
