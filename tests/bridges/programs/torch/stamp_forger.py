"""A forger and an expert of stamps that train against each other."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def network(*widths):
    layers = []
    for k, (a, b) in enumerate(zip(widths, widths[1:])):
        layer = nn.Linear(a, b)
        with torch.no_grad():
            layer.weight.copy_(0.6 * torch.sin(torch.arange(a * b) + k).view(b, a))
            layer.bias.fill_(0.05)
        layers += [layer, nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers[:-1])


class Duel:
    def __init__(self):
        self.forger, self.expert = network(2, 4, 3), network(3, 4, 1)
        self.forger_steps = torch.optim.Adam(self.forger.parameters(), lr=0.01, betas=(0.5, 0.9))
        self.expert_steps = torch.optim.SGD(self.expert.parameters(), lr=0.05)

    def verdict(self, stamps, real):
        return F.binary_cross_entropy_with_logits(self.expert(stamps), torch.full((len(stamps), 1), float(real)))

    def hasty(self, real, noise):
        forged = self.forger(noise)
        expert_loss = self.verdict(real, True) + self.verdict(forged.detach(), False)
        forger_loss = self.verdict(forged, True)
        self.expert_steps.zero_grad()
        expert_loss.backward()
        self.expert_steps.step()  #!
        self.forger_steps.zero_grad()
        forger_loss.backward()
        self.forger_steps.step()

    def patient(self, real, noise):
        forged = self.forger(noise)
        expert_loss = self.verdict(real, True) + self.verdict(forged.detach(), False)
        self.expert_steps.zero_grad()
        expert_loss.backward()
        self.expert_steps.step()
        self.forger_steps.zero_grad()
        self.verdict(forged, True).backward()
        self.forger_steps.step()


def play(move):
    duel = Duel()
    real, noise = torch.cos(torch.arange(12.0)).view(4, 3), torch.sin(torch.arange(8.0)).view(4, 2)
    forger = duel.forger
    for _ in range(2):
        move(duel, real, noise)
    return {"forger.0.weight": forger[0].weight.grad}


def broken():
    return play(Duel.hasty)


def fixed():
    return play(Duel.patient)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
