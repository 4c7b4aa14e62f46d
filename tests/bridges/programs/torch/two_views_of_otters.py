"""Learns features of otter photos without labels: a predictor, a target that follows slowly, and detached targets."""
import copy

import torch
import torch.nn.functional as F
from torch import nn


class Learner(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(8, dim), nn.GELU(), nn.Linear(dim, dim))
        self.predictor = nn.Linear(dim, dim)
        self.target = copy.deepcopy(self.online).requires_grad_(False)

    def loss(self, left, right):
        ahead = F.normalize(self.predictor(self.online(left)), dim=1)
        goal = F.normalize(self.target(right), dim=1).detach()
        return 2 - 2 * (ahead * goal).sum(dim=1).mean()

    @torch.no_grad()
    def follow(self, rate=0.05):
        for slow, fast in zip(self.target.parameters(), self.online.parameters()):
            slow.mul_(1 - rate).add_(fast, alpha=rate)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def broken():
    learner = settle(Learner())
    optimizer = torch.optim.Adam([*learner.online.parameters(), *learner.predictor.parameters()], lr=1e-3)
    photos = torch.sin(torch.arange(64.0)).view(8, 8)
    for _ in range(3):
        left, right = photos + 0.1, photos.flip(1)
        loss = (learner.loss(left, right) + learner.loss(right, left)) / 2
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        learner.follow()
    return {"learner.online.0.weight": learner.online[0].weight.grad, "learner.predictor.bias": learner.predictor.bias.grad}


if __name__ == "__main__":
    print(broken())
