"""Growth of lambs by feed, with a log of gradient norms after each step."""
import sys

import torch
from torch import nn


def herd():
    feed = torch.linspace(0.5, 2.0, 12).view(4, 3)
    return feed, feed.sum(dim=1, keepdim=True).sqrt() * 3.0


class Shepherd:
    def __init__(self, clear_last):
        model = nn.Sequential(nn.Linear(3, 4), nn.Softplus(), nn.Linear(4, 1))
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.copy_(torch.linspace(-0.4, 0.5, parameter.numel()).view_as(parameter))
        self.model = model
        self.optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
        self.clear_last = clear_last
        self.log = []

    def step(self, feed, weight):
        if not self.clear_last:
            self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(feed), weight)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.optimizer.step()
        if self.clear_last:
            self.optimizer.zero_grad()  #!
        self.log.append(self.norms())
        return loss.detach()

    def norms(self):
        return {f"model.{name}": p.grad for name, p in self.model.named_parameters()}


def broken():
    shepherd = Shepherd(clear_last=True)
    for _ in range(3):
        shepherd.step(*herd())
    return shepherd.log[-1]


def fixed():
    shepherd = Shepherd(clear_last=False)
    for _ in range(3):
        shepherd.step(*herd())
    return shepherd.log[-1]


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
