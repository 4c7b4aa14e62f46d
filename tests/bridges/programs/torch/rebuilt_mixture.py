"""Weights of three weather models, normalised by hand, blended into one forecast."""
import sys

import torch
from torch import nn


class Blend(nn.Module):
    def __init__(self, members):
        super().__init__()
        self.logits = nn.ParameterList(nn.Parameter(torch.tensor(0.1 * k)) for k in range(members))
        self.bias = nn.Parameter(torch.zeros(()))

    def weights(self):
        return torch.softmax(torch.tensor([logit for logit in self.logits]), dim=0)  #!

    def forward(self, forecasts):
        return forecasts @ self.weights() + self.bias


class Stacked(Blend):
    def weights(self):
        return torch.softmax(torch.stack(list(self.logits)), dim=0)


def train(kind, days=12):
    blend = kind(3)
    optimizer = torch.optim.SGD(blend.parameters(), lr=0.1)
    forecasts = torch.sin(torch.arange(3.0 * days)).view(days, 3)
    truth = forecasts[:, 1] - 1.5
    for _ in range(4):
        optimizer.zero_grad()
        loss = (blend(forecasts) - truth).abs().mean()
        loss.backward()
        optimizer.step()
    return {"blend.logits.1": blend.logits[1].grad, "blend.bias": blend.bias.grad}


def broken():
    return train(Blend)


def fixed():
    return train(Stacked)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
