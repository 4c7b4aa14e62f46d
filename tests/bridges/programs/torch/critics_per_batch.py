"""A Wasserstein GAN of pottery profiles: the critic is trained several times for each batch."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader


def profiles(count=12, points=8):
    return torch.sin(torch.arange(float(count * points)) * 0.21).view(count, points)


class Maker(nn.Module):
    def __init__(self, noise=3, points=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(noise, 10), nn.ReLU(), nn.Linear(10, points))
        self.noise = noise

    def forward(self, count, turn):
        return self.net(torch.cos(torch.arange(float(count * self.noise)) + turn).view(count, self.noise))


class Critic(nn.Module):
    def __init__(self, points=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(points, 10), nn.LeakyReLU(0.2), nn.Linear(10, 1))

    def forward(self, profile):
        return self.net(profile).mean()  #!


class Gan:
    rounds = 3

    def __init__(self, maker, critic):
        self.maker, self.critic = maker, critic
        self.makes = torch.optim.RMSprop(maker.parameters(), lr=5e-5)
        self.judges = torch.optim.RMSprop(critic.parameters(), lr=5e-5)

    def judge(self, real, turn):
        fake = self.maker(len(real), turn)  #~
        for _ in range(self.rounds):
            self.judges.zero_grad()
            loss = self.critic(fake) - self.critic(real)  #~
            loss.backward()
            self.judges.step()
            with torch.no_grad():
                for p in self.critic.parameters():
                    p.clamp_(-0.1, 0.1)
        return loss.item()

    def make(self, count, turn):
        self.makes.zero_grad()
        loss = -self.critic(self.maker(count, turn))
        loss.backward()
        self.makes.step()


class SteadyGan(Gan):
    def judge(self, real, turn):
        with torch.no_grad():
            fake = self.maker(len(real), turn)
        for _ in range(self.rounds):
            self.judges.zero_grad()
            loss = self.critic(fake) - self.critic(real)
            loss.backward()
            self.judges.step()
            with torch.no_grad():
                for p in self.critic.parameters():
                    p.clamp_(-0.1, 0.1)
        return loss.item()


def train(kind):
    torch.manual_seed(19)
    maker, critic = Maker(), Critic()
    gan = kind(maker, critic)
    for turn, real in enumerate(DataLoader(profiles(), batch_size=4)):
        gan.judge(real, turn)
        gan.make(len(real), turn)
    return {"maker.net.0.weight": maker.net[0].weight.grad, "critic.net.0.weight": critic.net[0].weight.grad}


def broken():
    return train(Gan)


def fixed():
    return train(SteadyGan)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
