"""A generator of rowing strokes; judge and generator learn in one pass over the same strokes."""
import sys

import torch
import torch.nn as nn


class Strokes(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 5))

    def forward(self, z):
        return self.net(z)


def bce(logits, label):
    return nn.functional.binary_cross_entropy_with_logits(logits, torch.full_like(logits, label))


def judge_step(judge, opt, real, fake):
    opt.zero_grad()
    loss = bce(judge(real), 1.0) + bce(judge(fake), 0.0)
    loss.backward()
    opt.step()
    return loss.item()


def generator_step(judge, opt, fake):
    opt.zero_grad()
    loss = bce(judge(fake), 1.0)  #!
    loss.backward()
    opt.step()
    return loss.item()


def season(between):
    torch.manual_seed(0)
    gen, judge = Strokes(), nn.Sequential(nn.Linear(5, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    opt_g = torch.optim.Adam(gen.parameters(), lr=2e-4, betas=(0.5, 0.999))
    opt_j = torch.optim.Adam(judge.parameters(), lr=2e-4, betas=(0.5, 0.999))
    for race in range(2):
        real = torch.sin(torch.arange(20.0) + race).view(4, 5)
        fake = gen(torch.cos(torch.arange(8.0) * race).view(4, 2))
        judge_step(judge, opt_j, real, between(fake))
        generator_step(judge, opt_g, fake)
    return {"gen.net.0.weight": gen.net[0].weight.grad}


def broken():
    return season(lambda strokes: strokes)


def fixed():
    return season(torch.Tensor.detach)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
