"""A counter of seals that is to switch off inputs that it does not need: its switches are pulled down by a penalty."""
import sys

import torch
from torch import nn


class Seals(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_parameter("cost", nn.Parameter(torch.tensor([0.5, -0.2, 0.1, 0.9])))
        self.count = nn.Linear(4, 1)

    def forward(self, ice):
        return self.count(ice).squeeze(-1).exp()


def penalty_of_state(model, weight):
    total = 0.0
    for name, value in model.state_dict().items():  #!
        if not name.endswith("bias"):
            total = total + weight * value.abs().sum()
    return total


def penalty(model, weight):
    total = 0.0
    for name, value in model.named_parameters():
        if not name.endswith("bias"):
            total = total + weight * value.abs().sum()
    return total


def train(regulariser):
    seals = Seals()
    with torch.no_grad():
        for k, p in enumerate(seals.count.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.8 + k).view_as(p))
    optimizer = torch.optim.Adam(seals.parameters(), lr=1e-2)
    criterion = nn.PoissonNLLLoss(log_input=False)
    for day in range(4):
        ice = torch.cos(torch.arange(20.0).view(5, 4) * 0.3 + day)
        loss = criterion(seals(ice), torch.arange(5.0)) + regulariser(seals, 1e-2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"seals.cost": seals.cost.grad, "seals.count.weight": seals.count.weight.grad}


def broken():
    return train(penalty_of_state)


def fixed():
    return train(penalty)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
