"""A small GAN for lantern spectra: hinge losses, two optimizers, a penalty on the judge's slope."""
import torch
from torch import nn


class Maker(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 6), nn.LeakyReLU(0.2), nn.Linear(6, 4))

    def forward(self, z):
        return self.net(z)


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1))

    def forward(self, x):
        return self.net(x)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def penalty(judge, real, made):
    mixed = (0.5 * real + 0.5 * made).requires_grad_(True)
    slope, = torch.autograd.grad(judge(mixed).sum(), mixed, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


def broken():
    maker, judge = settle(Maker()), settle(Judge())
    making, judging = torch.optim.Adam(maker.parameters(), lr=1e-3), torch.optim.Adam(judge.parameters(), lr=1e-3)
    real, z = torch.cos(torch.arange(24.0)).view(6, 4), torch.sin(torch.arange(12.0)).view(6, 2)
    for _ in range(3):
        made = maker(z)
        judging.zero_grad()
        loss = torch.relu(1 - judge(real)).mean() + torch.relu(1 + judge(made.detach())).mean()
        (loss + 10 * penalty(judge, real, made.detach())).backward()
        judging.step()
        for p in judge.parameters():
            p.requires_grad_(False)
        making.zero_grad()
        (-judge(made).mean()).backward()
        making.step()
        for p in judge.parameters():
            p.requires_grad_(True)
    return {"maker.net.0.weight": maker.net[0].weight.grad, "judge.net.0.weight": judge.net[0].weight.grad}


if __name__ == "__main__":
    print(broken())
