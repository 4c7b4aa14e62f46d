"""A small GAN of fern leaves: spectral norm, an EMA of the generator, gradient penalty with create_graph."""
import copy
import sys

import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm


class Ema:
    def __init__(self, model, decay=0.9):
        self.model, self.decay = copy.deepcopy(model).requires_grad_(False).eval(), decay

    @torch.no_grad()
    def update(self, model):
        torch._foreach_lerp_(list(self.model.parameters()), list(model.parameters()), 1 - self.decay)


def penalty(critic, real, fake):
    share = torch.linspace(0.1, 0.9, len(real)).unsqueeze(1)
    mixed = (share * real + (1 - share) * fake).requires_grad_()
    (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


def broken():
    torch.manual_seed(0)
    maker = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4))
    critic = nn.Sequential(spectral_norm(nn.Linear(4, 8)), nn.SiLU(), nn.Linear(8, 1))
    ema = Ema(maker)
    makes = torch.optim.Adam(maker.parameters(), lr=1e-3, betas=(0.0, 0.9))
    judges = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.0, 0.9))
    for step in range(4):
        real = torch.cos(torch.arange(24.0) + step).view(6, 4)
        noise = torch.sin(torch.arange(18.0) * 1.3 + step).view(6, 3)
        fake = maker(noise).detach()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
        judges.zero_grad()
        loss.backward()
        judges.step()
        if step % 2:
            for p in critic.parameters():
                p.requires_grad_(False)
            makes.zero_grad()
            (-critic(maker(noise)).mean()).backward()
            makes.step()
            for p in critic.parameters():
                p.requires_grad_(True)
            ema.update(maker)
            ema.model(noise)
    return {"maker.0.weight": maker[0].weight.grad, "critic.2.weight": critic[2].weight.grad}


if __name__ == "__main__":
    print(broken())
