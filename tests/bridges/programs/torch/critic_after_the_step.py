"""A critic and an actor on one trunk, each with an optimizer of its own."""
import sys

import torch
from torch import nn


class Lynx(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(3, 6)
        self.actor = nn.Sequential(nn.Tanh(), nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 2))
        self.critic = nn.Linear(6, 1)


def prowl(late):
    torch.manual_seed(77)
    lynx = Lynx()
    shared = list(lynx.trunk.parameters())
    of_actor = torch.optim.SGD(shared + list(lynx.actor.parameters()), lr=0.1)
    of_critic = torch.optim.SGD(lynx.critic.parameters(), lr=0.1)
    snow = torch.sin(torch.arange(15.0)).view(5, 3)
    seen = lynx.trunk(snow)
    moves = lynx.actor(seen).log_softmax(1)
    worth = lynx.critic(seen).squeeze(1)
    reward = snow.sum(1)
    actor = -(moves[:, 0] * (reward - worth.detach())).mean()
    critic = (worth - reward).square().mean() + 0.01 * moves[:, 1].mean()
    actor.backward(retain_graph=True)
    if late:
        of_actor.step()  #!
        critic.backward()  #~
    else:
        critic.backward()
        of_actor.step()
    of_critic.step()
    return {"lynx.critic.weight": lynx.critic.weight.grad}


def broken():
    return prowl(late=True)


def fixed():
    return prowl(late=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
