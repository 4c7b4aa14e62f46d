"""Actor and critic of a harbour crane share a trunk and have an optimizer each."""
import sys

import torch
from torch import nn


class Crane(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(3, 4)
        self.value = nn.Linear(4, 1)
        self.policy = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.8 + k).view_as(p))
    return model


class Learner:
    def __init__(self):
        self.crane = initialise(Crane())
        valued = [*self.crane.trunk.parameters(), *self.crane.value.parameters()]
        self.critic = torch.optim.SGD(valued, lr=0.1)
        self.actor = torch.optim.SGD(self.crane.policy.parameters(), lr=0.1)

    def losses(self, loads):
        crane = self.crane
        hidden = torch.tanh(crane.trunk(loads))
        value = crane.value(hidden).squeeze(1)
        chance = torch.log_softmax(crane.policy(hidden), dim=1)[:, 0]
        advantage = (1.0 - value).detach()
        return (1.0 - value).square().mean(), -(chance * advantage).mean() + 0.1 * value.mean()

    def update(self, loads):
        critic_loss, actor_loss = self.losses(loads)
        critic_loss.backward(retain_graph=True)
        self.critic.step()  #!
        actor_loss.backward()
        self.actor.step()


class JointLearner(Learner):
    def update(self, loads):
        critic_loss, actor_loss = self.losses(loads)
        critic_loss.backward(retain_graph=True)
        actor_loss.backward()
        self.critic.step()
        self.actor.step()


def run(kind):
    learner = kind()
    learner.update(torch.sin(torch.arange(12.0)).view(4, 3))
    crane = learner.crane
    return {"crane.value.weight": crane.value.weight.grad}


def broken():
    return run(Learner)


def fixed():
    return run(JointLearner)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
