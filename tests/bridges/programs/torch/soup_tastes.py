"""Groups soups by taste: each soup is pulled towards the running centre of its kitchen."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Soups(nn.Module):
    def __init__(self, kitchens=3, width=4):
        super().__init__()
        self.taste = nn.Embedding(kitchens, width)
        self.mix = nn.Linear(5, width)
        self.register_buffer("centres", torch.zeros(kitchens, width))

    def update(self, kitchen, taste):
        with torch.no_grad():
            self.centres.index_copy_(0, kitchen, 0.5 * self.centres[kitchen] + 0.5 * taste)  #!

    def forward(self, recipe, kitchen):
        self.update(kitchen, self.taste(kitchen))
        return F.mse_loss(torch.tanh(self.mix(recipe)), self.centres[kitchen])


class DirectSoups(Soups):
    def forward(self, recipe, kitchen):
        taste = self.taste(kitchen)
        blend = 0.5 * self.centres[kitchen] + 0.5 * taste
        self.update(kitchen, taste)
        return F.mse_loss(torch.tanh(self.mix(recipe)), blend)


def train(kind):
    torch.manual_seed(7)
    model = kind()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    kitchen = torch.arange(3)
    for k in range(3):
        recipe = torch.sin(torch.arange(15.0) + k).view(3, 5)
        optimizer.zero_grad()
        model(recipe, kitchen).backward()
        optimizer.step()
    return {"model.taste.weight": model.taste.weight.grad, "model.mix.weight": model.mix.weight.grad}


def broken():
    return train(Soups)


def fixed():
    return train(DirectSoups)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
