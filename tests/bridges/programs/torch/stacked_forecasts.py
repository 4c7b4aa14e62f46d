"""Three small forecasters trained at once with torch.func: stacked weights, vmap over the members."""
import sys

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap


def settle(module, shift):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k + shift).view_as(p))
    return module


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 5)
        self.out = nn.Linear(5, 1)

    def forward(self, x):
        return self.out(torch.relu(self.body(x)))


def stacked(members):
    params, buffers = stack_module_state(members)  #!
    return params, buffers


def linked(members):
    names = dict(members[0].named_parameters())
    return {name: torch.stack([dict(m.named_parameters())[name] for m in members]) for name in names}, {}


def train(gather):
    members = nn.ModuleList(settle(Forecaster(), k) for k in range(3))
    gain = nn.Parameter(torch.ones(3, 1, 1))
    optimizer = torch.optim.SGD([*members.parameters(), gain], lr=0.05)
    base = members[0]

    def call(params, buffers, x):
        return functional_call(base, (params, buffers), (x,))

    x = torch.sin(torch.arange(12.0)).view(4, 3)
    y = torch.cos(torch.arange(4.0)).view(4, 1)
    for _ in range(2):
        params, buffers = gather(members)
        optimizer.zero_grad()
        loss = (gain * vmap(call, in_dims=(0, 0, None))(params, buffers, x) - y).square().mean()
        loss.backward()
        optimizer.step()
    return {"members.0.body.weight": members[0].body.weight.grad, "gain": gain.grad}


def broken():
    return train(stacked)


def fixed():
    return train(linked)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
