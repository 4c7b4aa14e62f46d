"""Elastic weights of a robot hand: a penalty from a snapshot of the weights that was to follow them."""
import sys

import torch
from torch import nn


class Anchor(nn.Module):
    def __init__(self, model, learned):
        super().__init__()
        flat = nn.utils.parameters_to_vector(model.parameters())
        self.centre = nn.Parameter(torch.empty_like(flat)) if learned else None
        self.strength = nn.Parameter(torch.tensor(0.1))
        with torch.no_grad():
            (self.centre if learned else torch.empty(0)).copy_(flat) if learned else None

    def forward(self, model, detached):
        flat = torch.cat([p.flatten() for p in model.parameters()])
        centre = self.centre.data if detached else self.centre  #!
        return self.strength * (flat - centre).square().sum()


def learn(detached):
    torch.manual_seed(0)
    hand = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2))
    anchor = Anchor(hand, learned=True)
    optimizer = torch.optim.SGD([*hand.parameters(), *anchor.parameters()], lr=0.1, momentum=0.9)
    touch = torch.sin(torch.arange(12.0)).view(4, 3)
    for _ in range(3):
        optimizer.zero_grad()
        loss = hand(touch).square().mean() + anchor(hand, detached)
        loss.backward()
        optimizer.step()
    return {"anchor.centre": anchor.centre.grad, "anchor.strength": anchor.strength.grad}


def broken():
    return learn(detached=True)


def fixed():
    return learn(detached=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
