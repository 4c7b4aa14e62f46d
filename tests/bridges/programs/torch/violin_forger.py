"""A maker of violin timbres and a judge of them, trained in turn."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


maker_width, sound_width = 3, 4


def networks():
    maker = initialise(nn.Sequential(nn.Linear(maker_width, 6), nn.Tanh(), nn.Linear(6, sound_width)))
    judge = initialise(nn.Sequential(nn.Linear(sound_width, 5), nn.LeakyReLU(0.2), nn.Linear(5, 1)))
    return maker, judge


def opinion(judge, sounds, real, part):
    sounds = part(sounds)  #!
    logits = judge(sounds)
    return F.binary_cross_entropy_with_logits(logits, torch.full_like(logits, float(real)))


def train(part):
    maker, judge = networks()
    movers = torch.optim.Adam(maker.parameters(), lr=1e-3), torch.optim.Adam(judge.parameters(), lr=1e-3)
    for k in range(3):
        noise = torch.cos(torch.arange(15.0) + k).view(5, maker_width)
        real = torch.sin(torch.arange(20.0) + k).view(5, sound_width)
        movers[1].zero_grad()
        (opinion(judge, real, True, torch.Tensor.detach) + opinion(judge, maker(noise), False, torch.Tensor.detach)).backward()
        movers[1].step()
        movers[0].zero_grad()
        loss = opinion(judge, maker(noise), True, part)
        loss.backward()
        movers[0].step()
    return {"maker.0.weight": maker[0].weight.grad, "judge.0.weight": judge[0].weight.grad}


def broken():
    return train(torch.Tensor.detach)


def fixed():
    return train(lambda sounds: sounds)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
