"""Sharpness-aware training of a soil model: a step up, a second gradient, a step back and down."""
import sys

import torch
from torch import nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base = base(self.param_groups, **kwargs)

    @torch.no_grad()
    def climb(self):
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]]).norm()
        for group in self.param_groups:
            for p in group["params"]:
                e = p.grad * group["rho"] / (norm + 1e-12)
                p.add_(e)  #!
                self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(self.state[p]["e"])
        self.base.step()


def train(again):
    torch.manual_seed(0)
    soil = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 1))
    sam = SAM(soil.parameters(), torch.optim.SGD, lr=0.05)
    x = torch.cos(torch.arange(32.0)).view(8, 4)
    y = x[:, :1] * x[:, 1:2]
    loss_of = lambda: nn.functional.mse_loss(soil(x), y)
    loss = loss_of()
    loss.backward(retain_graph=not again)
    sam.climb()
    (loss_of() if again else loss).backward()
    sam.descend()
    return {"soil.0.weight": soil[0].weight.grad, "soil.2.weight": soil[2].weight.grad}


def broken():
    return train(again=False)


def fixed():
    return train(again=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
