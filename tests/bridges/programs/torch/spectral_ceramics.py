"""A GAN for ceramic glazes with spectral normalisation, two optimizers and an average of weights."""
import copy

import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm


class Glaze(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 3))

    def forward(self, z):
        return torch.tanh(self.net(z))


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(spectral_norm(nn.Linear(3, 8)), nn.LeakyReLU(0.2), spectral_norm(nn.Linear(8, 1)))

    def forward(self, x):
        return self.net(x).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module


def noise(step):
    return torch.cos(torch.arange(12.0) * 1.7 + step).view(6, 2)


def broken():
    torch.manual_seed(2)
    glaze, judge = settle(Glaze()), settle(Judge())
    average = copy.deepcopy(glaze).requires_grad_(False)
    forge, learn = torch.optim.Adam(glaze.parameters(), 2e-4, (0.5, 0.9)), torch.optim.Adam(judge.parameters(), 2e-4, (0.5, 0.9))
    real = torch.sin(torch.arange(18.0)).view(6, 3)
    for step in range(3):
        with torch.no_grad():
            fake = glaze(noise(step))
        loss = torch.relu(1 - judge(real)).mean() + torch.relu(1 + judge(fake)).mean()
        learn.zero_grad()
        loss.backward()
        learn.step()
        judge.requires_grad_(False)
        loss = -judge(glaze(noise(step))).mean()
        forge.zero_grad()
        loss.backward()
        forge.step()
        judge.requires_grad_(True)
        with torch.no_grad():
            torch._foreach_lerp_(list(average.parameters()), list(glaze.parameters()), 0.01)
    return {"glaze.net.0.weight": glaze.net[0].weight.grad, "glaze.net.2.bias": glaze.net[2].bias.grad}

if __name__ == "__main__":
    print(broken())
