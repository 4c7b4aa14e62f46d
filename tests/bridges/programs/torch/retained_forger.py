"""A GAN for the patterns of tiles, with a step for each network."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Maker(nn.Sequential):
    def __init__(self, noise=3, pixels=8):
        super().__init__(nn.Linear(noise, 10), nn.LeakyReLU(0.2), nn.Linear(10, pixels), nn.Tanh())


class Judge(nn.Sequential):
    def __init__(self, pixels=8):
        super().__init__(nn.Linear(pixels, 10), nn.LeakyReLU(0.2), nn.Linear(10, 1))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


class Gan:
    def __init__(self):
        self.maker, self.judge = settle(Maker()), settle(Judge())
        self.maker_optimizer = torch.optim.SGD(self.maker.parameters(), lr=0.02)
        self.judge_optimizer = torch.optim.SGD(self.judge.parameters(), lr=0.02)

    def judge_loss(self, real, made):
        right, wrong = self.judge(real), self.judge(made.detach())
        return F.softplus(-right).mean() + F.softplus(wrong).mean()

    def backward(self, loss):
        loss.backward(retain_graph=True)  #!

    def step(self, real, noise):
        made = self.maker(noise)
        self.judge_optimizer.zero_grad()
        self.backward(self.judge_loss(real, made))
        self.judge_optimizer.step()
        self.maker_optimizer.zero_grad()
        F.softplus(-self.judge(made)).mean().backward()
        self.maker_optimizer.step()


class LeanGan(Gan):
    def backward(self, loss):
        loss.backward()


def train(kind):
    gan = kind()
    maker, judge = gan.maker, gan.judge
    tiles = torch.sign(torch.sin(torch.arange(96.0) * 0.8)).view(12, 8)
    noise = torch.cos(torch.arange(36.0) * 1.7).view(12, 3)
    for rows in torch.arange(12).split(4):
        gan.step(tiles[rows], noise[rows])
    return {"maker.0.weight": maker[0].weight.grad, "judge.2.weight": judge[2].weight.grad}


def broken():
    return train(Gan)


def fixed():
    return train(LeanGan)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
