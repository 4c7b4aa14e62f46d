"""An optimizer of one's own for a windmill: steps are divided by the running size of the gradients."""
import sys

import torch
from torch import nn


class Sized(torch.optim.Optimizer):
    def __init__(self, params, lr=0.01, beta=0.9, eps=0.0):
        super().__init__(params, {"lr": lr, "beta": beta, "eps": eps})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                state.setdefault("size", torch.zeros_like(p))
                state["size"].lerp_(p.grad.abs(), 1 - group["beta"])
                p.sub_(group["lr"] * p.grad / (state["size"] + group["eps"]))  #!


class Windmill(nn.Module):
    def __init__(self):
        super().__init__()
        self.blades = nn.Linear(3, 6)
        self.shaft = nn.Linear(6, 1)

    def forward(self, wind):
        return self.shaft(torch.relu(self.blades(wind)))


def turn(eps):
    torch.manual_seed(2)
    mill = Windmill()
    with torch.no_grad():
        mill.blades.bias[0] = -50.0
    optimizer = Sized(mill.parameters(), eps=eps)
    wind = torch.sin(torch.arange(24.0)).view(8, 3)
    for _ in range(2):
        optimizer.zero_grad()
        loss = (mill(wind).squeeze(-1) - wind.norm(dim=1)).square().mean()
        loss.backward()
        optimizer.step()
    return {"mill.blades.weight": mill.blades.weight.grad}


def broken():
    return turn(eps=0.0)


def fixed():
    return turn(eps=1e-8)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
