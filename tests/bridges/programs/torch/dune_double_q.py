"""Q-learning with a target network that follows slowly."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def network():
    return initialise(nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)))


def broken():
    online, target = network(), network()
    target.requires_grad_(False)
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    for k in range(3):
        states = torch.cos(torch.arange(12.0) + k).view(4, 3)
        actions = torch.arange(4) % 2
        with torch.no_grad():
            best = online(states.roll(1, 0)).argmax(1, keepdim=True)
            wanted = 1.0 + 0.9 * target(states.roll(1, 0)).gather(1, best).squeeze(1)
        value = online(states).gather(1, actions[:, None]).squeeze(1)
        loss = F.smooth_l1_loss(value, wanted)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), online.parameters()):
                slow.lerp_(fast, 0.05)
    return {"online.0.weight": online[0].weight.grad}


if __name__ == "__main__":
    print(broken())
