"""A falcon learns to stoop: soft actor-critic with a temperature that should find its own value."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Falcon(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3))
        self.critic = nn.Linear(3, 3)
        self.log_temper = nn.Parameter(torch.tensor(-1.0))

    def temper(self):
        return self.log_temper.exp()


def held(falcon):
    return falcon.temper().item()  #!


def losses(falcon, sight, reward, temper):
    with torch.no_grad():
        later = falcon.critic(sight.roll(1, 0)).logsumexp(1)
    value = falcon.critic(sight)
    log_chance = falcon.actor(sight).log_softmax(1)
    chance = log_chance.exp()
    entropy = -(chance * log_chance).sum(1)
    actor = -(chance * value.detach()).sum(1) - temper * (entropy - 0.5)
    return actor.mean() + F.mse_loss(value.mean(1), reward + 0.9 * later)


def train(temper_of):
    torch.manual_seed(61)
    falcon = Falcon()
    optimizer = torch.optim.Adam(falcon.parameters(), lr=3e-3)
    sight = torch.sin(torch.arange(18.0)).view(6, 3)
    reward = torch.linspace(-1, 1, 6)
    for _ in range(3):
        optimizer.zero_grad()
        loss = losses(falcon, sight, reward, temper_of(falcon))
        loss.backward()
        optimizer.step()
    return {"falcon.log_temper": falcon.log_temper.grad, "falcon.actor.0.weight": falcon.actor[0].weight.grad}


def broken():
    return train(held)


def fixed():
    return train(lambda falcon: falcon.temper())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
