"""Two views of kelp should look alike: a predictor on one side, a target that stands still on the other."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Views(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv1d(1, 4, 3), nn.BatchNorm1d(4), nn.ReLU(), nn.AdaptiveAvgPool1d(2), nn.Flatten())
        self.predictor = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 8))

    def still(self, view):
        return F.normalize(self.encoder(view), dim=1).detach()  #!

    def moving(self, view):
        return F.normalize(self.encoder(view), dim=1)

    def forward(self, one, other, first):
        target = self.still(other)
        guess = self.predictor(first(self, one))
        return 1 - F.cosine_similarity(guess, target, dim=1).mean()


def dive(first):
    torch.manual_seed(63)
    views = Views()
    optimizer = torch.optim.SGD(views.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
    kelp = torch.sin(torch.arange(60.0) * 0.37).view(5, 1, 12)
    for _ in range(2):
        loss = views(kelp + 0.1, kelp.flip(2), first)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return {"views.encoder.0.weight": views.encoder[0].weight.grad, "views.predictor.0.weight": views.predictor[0].weight.grad}


def broken():
    return dive(Views.still)


def fixed():
    return dive(Views.moving)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
