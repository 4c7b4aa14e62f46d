"""Paints glazes that a judge should take for real ones; both are trained in turns."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Painter(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 4), nn.Tanh())

    def forward(self, noise):
        return self.net(noise)


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))

    def forward(self, glaze):
        return self.net(glaze).squeeze(1)


class Workshop:
    def __init__(self):
        self.painter, self.judge = settle(Painter()), settle(Judge())
        self.paint_step = torch.optim.Adam(self.painter.parameters(), lr=2e-3, betas=(0.5, 0.999))
        self.judge_step = torch.optim.Adam(self.judge.parameters(), lr=2e-3, betas=(0.5, 0.999))

    def paint(self, noise):
        return self.painter(noise).detach()  #!

    def train_judge(self, real, fake):
        self.judge_step.zero_grad()
        a, b = self.judge(real), self.judge(fake.detach())
        loss = F.binary_cross_entropy_with_logits(a, torch.ones_like(a)) + F.binary_cross_entropy_with_logits(b, torch.zeros_like(b))
        loss.backward()
        self.judge_step.step()
        return loss.item()

    def train_painter(self, fake):
        self.paint_step.zero_grad()
        verdict = self.judge(fake)
        loss = F.binary_cross_entropy_with_logits(verdict, torch.ones_like(verdict))
        loss.backward()
        self.paint_step.step()
        return loss.item()

    def train(self):
        for epoch in range(3):
            noise = torch.sin(torch.arange(15) * 0.7 + epoch).view(5, 3)
            real = torch.tanh(torch.cos(torch.arange(20) * 0.3 + epoch)).view(5, 4)
            fake = self.paint(noise)
            self.train_judge(real, fake)
            self.train_painter(fake)
        return self


class RightWorkshop(Workshop):
    def paint(self, noise):
        return self.painter(noise)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def broken():
    shop = Workshop().train()
    painter, judge = shop.painter, shop.judge
    return {"painter.net.0.weight": painter.net[0].weight.grad, "judge.net.0.weight": judge.net[0].weight.grad}


def fixed():
    shop = RightWorkshop().train()
    painter, judge = shop.painter, shop.judge
    return {"painter.net.0.weight": painter.net[0].weight.grad, "judge.net.0.weight": judge.net[0].weight.grad}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
