"""A Hamiltonian network for a playground swing with friction; validated every other epoch."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Swing(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        self.energy = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 1))
        self.friction = nn.Parameter(torch.tensor(0.1))
        self.register_buffer("turn", torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))

    def slope(self, state):
        with torch.enable_grad():
            state = state.detach().requires_grad_()
            energy = self.energy(state).sum()
            return torch.autograd.grad(energy, state, create_graph=self.training)[0]  #!

    def forward(self, state):
        flow = self.slope(state) @ self.turn.T
        return flow - self.friction * state * self.turn.new_tensor([0.0, 1.0])


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.energy.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def check(model, states, flows):
    model.eval()  #~
    with torch.no_grad():
        return F.mse_loss(model(states), flows).item()


def check_and_return(model, states, flows):
    error = check(model, states, flows)
    model.train()
    return error


def train(validate):
    model = settle(Swing())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    angle = torch.linspace(-1, 1, 12)
    states = torch.stack([angle, torch.cos(3 * angle)], dim=1)
    flows = torch.stack([states[:, 1], -torch.sin(states[:, 0]) - 0.2 * states[:, 1]], dim=1)
    errors = []
    for epoch in range(4):
        optimizer.zero_grad()
        loss = F.mse_loss(model(states[:8]), flows[:8])
        loss.backward()
        optimizer.step()
        if epoch % 2 == 0:
            errors.append(validate(model, states[8:], flows[8:]))
    return {"model.energy.0.weight": model.energy[0].weight.grad, "model.friction": model.friction.grad}


def broken():
    return train(check)


def fixed():
    return train(check_and_return)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
