"""A maker and a judge of mosaics take turns; the judge sees copies, its own weights rest in the maker's turn."""

import torch
from torch import nn
import torch.nn.functional as F


def network(widths, last):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers[:-1], last)


def freeze(module, on):
    for weight in module.parameters():
        weight.requires_grad_(not on)


class Workshop:
    def __init__(self):
        self.maker = network([3, 8, 6], nn.Tanh())
        self.judge = network([6, 8, 1], nn.Identity())
        self.make = torch.optim.Adam(self.maker.parameters(), lr=2e-3, betas=(0.5, 0.99))
        self.see = torch.optim.Adam(self.judge.parameters(), lr=2e-3, betas=(0.5, 0.99))

    def turn_of_judge(self, real, seed):
        self.see.zero_grad(set_to_none=True)
        with torch.no_grad():
            fake = self.maker(seed)
        both = self.judge(torch.cat([real, fake]))
        truth = torch.cat([torch.full((len(real), 1), 0.9), torch.zeros(len(fake), 1)])
        F.binary_cross_entropy_with_logits(both, truth).backward()
        self.see.step()

    def turn_of_maker(self, seed):
        freeze(self.judge, True)
        self.make.zero_grad(set_to_none=True)
        F.softplus(-self.judge(self.maker(seed))).mean().backward()
        self.make.step()
        freeze(self.judge, False)


def broken():
    torch.manual_seed(53)
    shop = Workshop()
    for step in range(3):
        seed = torch.sin(torch.arange(12.0) * (step + 1)).view(4, 3)
        real = torch.cos(torch.arange(24.0) + step).view(4, 6)
        shop.turn_of_judge(real, seed)
        shop.turn_of_maker(seed)
    return {"shop.maker.0.weight": shop.maker[0].weight.grad, "shop.judge.0.weight": shop.judge[0].weight.grad}


if __name__ == "__main__":
    print(broken())
