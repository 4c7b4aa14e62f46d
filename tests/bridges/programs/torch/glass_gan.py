"""A small GAN that draws the profiles of wine glasses."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model, phase):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k + phase).view_as(p))
    return model


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 6), nn.Tanh())

    def forward(self, noise):
        return self.net(noise)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))

    def forward(self, profile):
        return self.net(profile).squeeze(1)


def profiles(step):
    angle = torch.linspace(0.0, 3.1, 6)
    return torch.stack([torch.sin(angle + 0.1 * k + 0.05 * step) for k in range(4)])


def noise(step):
    return torch.sin(torch.arange(12.0).view(4, 3) * 1.7 + step)


class Trainer:
    def __init__(self):
        self.generator = initialise(Generator(), 0.0)
        self.discriminator = initialise(Discriminator(), 1.0)
        self.g_optimizer = torch.optim.SGD(self.generator.parameters(), lr=0.02)
        self.d_optimizer = torch.optim.SGD(self.discriminator.parameters(), lr=0.02)

    def discriminator_step(self, real, fake):
        self.d_optimizer.zero_grad()
        on_real = self.discriminator(real)
        on_fake = self.discriminator(fake.detach())
        loss = F.softplus(-on_real).mean() + F.softplus(on_fake).mean()
        loss.backward()
        self.d_optimizer.step()
        return on_fake

    def generator_loss(self, fake, on_fake):
        return F.softplus(-self.discriminator(fake.detach())).mean()  #!

    def step(self, number):
        fake = self.generator(noise(number))
        on_fake = self.discriminator_step(profiles(number), fake)
        self.g_optimizer.zero_grad()
        self.generator_loss(fake, on_fake).backward()
        self.g_optimizer.step()


class JudgingTrainer(Trainer):
    def generator_loss(self, fake, on_fake):
        return F.softplus(-self.discriminator(fake)).mean()


def run(kind):
    trainer = kind()
    for number in range(3):
        trainer.step(number)
    generator = trainer.generator
    return {f"generator.{name}": p.grad for name, p in generator.named_parameters()}


def broken():
    return run(Trainer)


def fixed():
    return run(JudgingTrainer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
