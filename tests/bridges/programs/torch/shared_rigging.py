"""Advantage actor-critic of a sailing boat; actor and critic share the rigging encoder, each has its own optimizer."""
import sys

import torch
from torch import nn
from torch.distributions import Categorical


class Boat:
    """Turns towards the wind; the reward is how well it stands."""

    def __init__(self):
        self.heading = 0.3

    def observe(self):
        angle = torch.tensor(self.heading)
        return torch.stack([angle.sin(), angle.cos(), angle])

    def turn(self, way):
        self.heading += 0.1 * (int(way) - 1)
        return -abs(self.heading)


class Sailor(nn.Module):
    def __init__(self):
        super().__init__()
        self.rigging = nn.Sequential(nn.Linear(3, 6), nn.Tanh())
        self.policy = nn.Linear(6, 3)
        self.value = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 1))


class Trainer:
    def __init__(self, sailor):
        self.sailor = sailor
        self.acts = torch.optim.Adam([*sailor.rigging.parameters(), *sailor.policy.parameters()], lr=1e-2)
        self.judges = torch.optim.Adam([*sailor.rigging.parameters(), *sailor.value.parameters()], lr=1e-2)

    def sail(self, steps=5):
        boat, chances, values, rewards, spread = Boat(), [], [], [], []
        for k in range(steps):
            x = self.sailor.rigging(boat.observe())
            dist = Categorical(logits=self.sailor.policy(x))
            way = torch.tensor(k % 3)
            chances.append(dist.log_prob(way))
            spread.append(dist.entropy())
            values.append(self.sailor.value(x).squeeze())
            rewards.append(boat.turn(way))
        return torch.stack(chances), torch.stack(values), rewards, torch.stack(spread)

    def update(self, chances, values, rewards, spread):
        total, returns = 0.0, []
        for reward in reversed(rewards):
            total = reward + 0.95 * total
            returns.insert(0, total)
        returns = torch.tensor(returns)
        self.judges.zero_grad()
        nn.functional.mse_loss(values, returns).backward(retain_graph=True)
        self.judges.step()  #!
        self.acts.zero_grad()
        loss = -(chances * (returns - values.detach())).mean() - 0.01 * spread.mean()
        loss.backward()
        self.acts.step()


class JointTrainer(Trainer):
    def update(self, chances, values, rewards, spread):
        total, returns = 0.0, []
        for reward in reversed(rewards):
            total = reward + 0.95 * total
            returns.insert(0, total)
        returns = torch.tensor(returns)
        self.judges.zero_grad()
        self.acts.zero_grad()
        judged = nn.functional.mse_loss(values, returns)
        acted = -(chances * (returns - values.detach())).mean() - 0.01 * spread.mean()
        (judged + acted).backward()
        self.judges.step()
        self.acts.step()


class Stacked(Sailor):
    def __init__(self):
        super().__init__()
        self.rigging = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 6), nn.Tanh())


def learn(kind):
    torch.manual_seed(15)
    sailor = Stacked()
    trainer = kind(sailor)
    for _ in range(2):
        trainer.update(*trainer.sail())
    return {"sailor.rigging.0.weight": sailor.rigging[0].weight.grad}


def broken():
    return learn(Trainer)


def fixed():
    return learn(JointTrainer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
