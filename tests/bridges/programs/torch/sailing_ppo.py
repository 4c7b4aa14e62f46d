"""Proximal policy optimization for a model yacht: rudder angles from a Gaussian, several epochs per voyage."""
import sys
from collections import namedtuple

import torch
from torch import nn
from torch.distributions import Normal

Step = namedtuple("Step", "wind angle logp reward")


class Skipper(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        self.log_std = nn.Parameter(torch.full((1,), -0.5))

    def dist(self, wind):
        return Normal(self.mean(wind).squeeze(-1), self.log_std.exp())


class Voyage:
    def __init__(self, quiet):
        self.quiet, self.steps = quiet, []

    def sail(self, skipper, length=6):
        wind = torch.tensor([0.2, -0.1, 0.4])
        for k in range(length):
            dist = skipper.dist(wind)
            angle = dist.mean.detach() + 0.3 * (-1) ** k
            logp = dist.log_prob(angle)
            if self.quiet:
                logp = logp.detach()
            self.steps.append(Step(wind, angle, logp, -angle.abs()))
            wind = torch.roll(wind, 1) + 0.05 * angle

    def tensors(self):
        return Step(*map(torch.stack, zip(*self.steps)))


def ppo_loss(skipper, batch, eps=0.2):
    new = skipper.dist(batch.wind).log_prob(batch.angle)
    advantage = batch.reward - batch.reward.mean()
    ratio = (new - batch.logp).exp()  #!
    return -torch.min(ratio * advantage, ratio.clamp(1 - eps, 1 + eps) * advantage).mean()


def improve(quiet, epochs=3):
    torch.manual_seed(7)
    skipper = Skipper()
    adam = torch.optim.Adam(skipper.parameters(), 3e-4, eps=1e-5)
    voyage = Voyage(quiet)
    voyage.sail(skipper)
    batch = voyage.tensors()
    for _ in range(epochs):
        loss = ppo_loss(skipper, batch)
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(skipper.parameters(), 0.5)
        adam.step()
    return {"skipper.mean.0.weight": skipper.mean[0].weight.grad, "skipper.log_std": skipper.log_std.grad}


def broken():
    return improve(quiet=False)


def fixed():
    return improve(quiet=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
