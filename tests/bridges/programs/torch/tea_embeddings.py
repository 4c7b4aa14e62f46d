"""Recommends teas: item vectors are cached once and scored against a visitor's taste."""
import sys

import torch
from torch import nn


class TeaShop(nn.Module):
    def __init__(self, cache_mode):
        super().__init__()
        self.item = nn.Linear(3, 3)
        self.bias = nn.Parameter(torch.zeros(5))
        self.cache_mode = cache_mode

    def vectors(self, teas):
        if self.cache_mode == "serving":
            with torch.inference_mode():
                return self.item(teas).tanh()  #!
        return self.item(teas).tanh()

    def forward(self, teas):
        return self.bias + self.vectors(teas).sum(dim=1)


def catalogue():
    return torch.sin(torch.arange(15.0)).view(5, 3)


def initialise(model):
    with torch.no_grad():
        model.item.weight.copy_(torch.linspace(-0.5, 0.5, 9).view(3, 3))
        model.item.bias.copy_(torch.tensor([0.1, 0.0, -0.1]))
    return model


def train(mode):
    shop = initialise(TeaShop(mode))
    optimizer = torch.optim.Adagrad(shop.parameters(), lr=0.05)
    wanted = torch.tensor([1.0, 0.0, 0.0, 1.0, 0.0])
    for _ in range(2):
        score = shop(catalogue())
        loss = nn.functional.binary_cross_entropy_with_logits(score, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"shop.item.weight": shop.item.weight.grad, "shop.bias": shop.bias.grad}


def broken():
    return train("serving")


def fixed():
    return train("training")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
