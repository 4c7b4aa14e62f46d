"""The rest position of a hanging bridge as a fixed point; gradients by the implicit function theorem."""
import sys

import torch
from torch import nn


class Rest(nn.Module):
    def __init__(self, cells=5):
        super().__init__()
        self.pull = nn.Linear(cells, cells)
        with torch.no_grad():
            self.pull.weight.mul_(0.3)

    def once(self, z, load):
        return torch.tanh(self.pull(z) + load)

    def forward(self, load):
        with torch.no_grad():
            z = torch.zeros_like(load)
            for _ in range(30):
                z = self.once(z, load)
        z = self.once(z, load)
        if z.requires_grad:
            start = z.clone().detach().requires_grad_()
            again = self.once(start, load)

            def implicit(grad):
                g = grad
                for _ in range(20):
                    g = torch.autograd.grad(again, start, g, retain_graph=True)[0] + grad
                return g

            z.register_hook(implicit)
        return z


def broken():
    torch.manual_seed(0)
    rest = Rest()
    scale = nn.Parameter(torch.tensor(0.8))
    optimizer = torch.optim.SGD([{"params": rest.parameters()}, {"params": [scale], "lr": 0.01}], lr=0.05, momentum=0.9, nesterov=True)
    load = torch.sin(torch.arange(15.0)).view(3, 5)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (rest(scale * load) - load.roll(1, 1)).square().mean()
        loss.backward()
        optimizer.step()
    return {"rest.pull.weight": rest.pull.weight.grad, "scale": scale.grad}


if __name__ == "__main__":
    print(broken())
