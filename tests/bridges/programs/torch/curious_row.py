"""Trains vectors of spices and looks at the gradient of a single one, saffron."""
import sys

import torch
import torch.nn.functional as F
from torch import nn

SPICES = ["salt", "pepper", "saffron", "cumin", "clove", "mace"]


class Skipgram(nn.Module):
    def __init__(self, count=len(SPICES), dim=4):
        super().__init__()
        self.inner = nn.Embedding(count, dim)
        self.outer = nn.Embedding(count, dim)

    def forward(self, centre, near, far):
        v = self.inner(centre)
        good = (v * self.outer(near)).sum(dim=-1)
        bad = (v[:, None] * self.outer(far)).sum(dim=-1)
        return -(F.logsigmoid(good) + F.logsigmoid(-bad).sum(dim=1)).mean()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.7 * torch.cos(torch.arange(p.numel()) * 0.8 + k).view_as(p))
    return module


def look_at_row(model):
    saffron = model.inner.weight[SPICES.index("saffron")]  #!
    return saffron.grad


def look_at_gradient(model):
    return model.inner.weight.grad[SPICES.index("saffron")]


def train(look):
    model = settle(Skipgram())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    centre = torch.arange(12) % 6
    near, far = (centre + 1) % 6, (centre[:, None] + torch.tensor([2, 3])) % 6
    for epoch in range(3):
        for rows in torch.arange(12).split(6):
            loss = model(centre[rows], near[rows], far[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return {"saffron": look(model), "model.outer.weight": model.outer.weight.grad}


def broken():
    return train(look_at_row)


def fixed():
    return train(look_at_gradient)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
