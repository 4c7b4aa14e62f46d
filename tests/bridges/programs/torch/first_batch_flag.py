"""Learns the flight of shuttlecocks; the first batches are damped, which the compiled step is told by a flag."""
import sys

import torch
from torch import nn


class Flight(nn.Module):
    def __init__(self, hidden=6):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, hidden), nn.Tanh(), nn.Linear(hidden, 2))

    def forward(self, launch):
        return self.net(launch)


def drag_loss(model, launch, landing, damped):
    error = model(launch) - landing
    if damped:
        error = error * 0.1
    return error.square().sum(1).mean()


def blended_loss(model, launch, landing, damped):
    error = (model(launch) - landing) * torch.where(damped, 0.1, 1.0)
    return error.square().sum(1).mean()


class Trainer:
    def __init__(self, loss, as_flag, warm=2):
        torch.manual_seed(2)
        self.model = Flight()
        self.loss = torch.compile(loss, backend="eager")
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)
        self.as_flag, self.warm, self.seen = as_flag, warm, 0

    def learn(self, launch, landing):
        self.optimizer.zero_grad()
        loss = self.loss(self.model, launch, landing, self.as_flag(self.seen < self.warm))  #!
        loss.backward()
        self.optimizer.step()
        self.seen += 1


def shots(count=4):
    for k in range(count):
        launch = torch.cos(torch.arange(12.0) * 0.3 + k).view(4, 3)
        yield launch, launch[:, :2] * 1.5 + 0.1


def play(loss, as_flag):
    torch._dynamo.reset()
    trainer = Trainer(loss, as_flag)
    for launch, landing in shots():
        trainer.learn(launch, landing)
    return {"trainer.model.net.0.weight": trainer.model.net[0].weight.grad}


def broken():
    return play(drag_loss, bool)


def fixed():
    return play(blended_loss, torch.tensor)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
