"""An actor and a critic of judo throws that share an encoder."""
import sys

import torch
from torch import nn


class Judoka(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())
        self.actor = nn.Linear(8, 3)
        self.critic = nn.Linear(8, 1)
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.4 + k).view_as(p))

    def policy(self, state):
        return self.actor(self.encoder(state)).log_softmax(-1)  #~

    def value(self, state):
        return self.critic(self.encoder(state)).squeeze(-1)  #!

    def both(self, state):
        hidden = self.encoder(state)
        return self.actor(hidden).log_softmax(-1), self.critic(hidden).squeeze(-1)


def apart(judoka, state):
    return judoka.policy(state), judoka.value(state)


def loss_of(chances, value, throws, points):
    advantage = points - value.detach()
    chosen = chances.gather(1, throws.unsqueeze(1)).squeeze(1)
    return -(chosen * advantage).mean() + (points - value).square().mean()


def train(look):
    judoka = Judoka()
    state, throws = torch.sin(torch.arange(24.0)).view(6, 4), torch.arange(6) % 3
    points = torch.linspace(-1.0, 1.0, 6)
    optimizer = torch.optim.Adam(judoka.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        loss_of(*look(judoka, state), throws, points).backward()
        optimizer.step()
    return {"judoka.encoder.0.weight": judoka.encoder[0].weight.grad}


def broken():
    return train(apart)


def fixed():
    return train(Judoka.both)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
