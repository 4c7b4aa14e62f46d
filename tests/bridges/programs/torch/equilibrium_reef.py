"""A reef as an equilibrium: the fixed point is found without a graph, one more step carries the gradient."""

import torch
import torch.nn.functional as F
from torch import nn


class Reef(nn.Module):
    def __init__(self, inputs=4, species=5):
        super().__init__()
        self.inject = nn.Linear(inputs, species)
        self.compete = nn.Linear(species, species, bias=False)

    def step(self, z, x):
        return torch.tanh(0.5 * self.compete(z) + self.inject(x))

    def solve(self, step, z, most=40, tolerance=1e-5):
        for _ in range(most):
            following = step(z)
            if (following - z).norm().item() < tolerance:
                break
            z = following
        return z

    def forward(self, x):
        with torch.no_grad():
            rest = self.solve(lambda z: self.step(z, x), torch.zeros(len(x), self.compete.in_features))
        z = self.step(rest, x)
        if torch.is_grad_enabled():
            start = rest.clone().requires_grad_()
            again = self.step(start, x)

            def implicit(grad):
                pulled = lambda g: torch.autograd.grad(again, start, g, retain_graph=True)[0] + grad
                return self.solve(pulled, grad)

            z.register_hook(implicit)
        return z


class Survey(nn.Module):
    def __init__(self):
        super().__init__()
        self.reef, self.read = Reef(), nn.Linear(5, 1)

    def forward(self, x):
        return self.read(self.reef(x)).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train():
    model = settle(Survey())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    water, cover = torch.cos(torch.arange(32.0)).view(8, 4), torch.linspace(-0.5, 0.5, 8)
    for epoch in range(3):
        loss = F.mse_loss(model(water), cover)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        "model.reef.compete.weight": model.reef.compete.weight.grad,
        "model.reef.inject.weight": model.reef.inject.weight.grad,
        "model.read.weight": model.read.weight.grad,
    }


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
