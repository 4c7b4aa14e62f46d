"""Drones of a swarm keep to a centre that a small network proposes and a buffer remembers."""
import sys

import torch
from torch import nn


class Swarm(nn.Module):
    def __init__(self):
        super().__init__()
        self.propose = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 3))
        self.steer = nn.Linear(3, 3)
        self.register_buffer("centre", torch.zeros(3))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))

    def remember(self, proposal):
        with torch.no_grad():
            self.seen += 1
            self.centre.lerp_(proposal, 1.0 / float(self.seen))  #!
        return self.centre

    def forward(self, drones):
        proposal = self.propose(drones).mean(0)
        centre = self.remember(proposal)
        return self.steer(drones - centre)


class MeetingSwarm(Swarm):
    def remember(self, proposal):
        rate = 1.0 / float(self.seen + 1)
        centre = self.centre + (proposal - self.centre) * rate
        self.seen += 1
        self.centre = centre.detach()
        return centre


def fly(kind):
    torch.manual_seed(11)
    swarm = kind()
    optimizer = torch.optim.Adam(swarm.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
    for step in range(4):
        drones = torch.sin(torch.arange(18.0).view(6, 3) + step)
        velocity = swarm(drones)
        loss = (velocity + drones).square().sum(1).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
    return {"swarm.propose.0.weight": swarm.propose[0].weight.grad, "swarm.steer.weight": swarm.steer.weight.grad}


def broken():
    return fly(Swarm)


def fixed():
    return fly(MeetingSwarm)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
