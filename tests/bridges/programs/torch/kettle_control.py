"""A kettle's controller, trained with graphs that are kept for nothing."""
import sys

import torch
from torch import nn


class Controller(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Linear(2, 4)
        self.heat = nn.Linear(4, 1)

    def forward(self, state):
        return torch.sigmoid(self.heat(torch.relu(self.gain(state)))).squeeze(1)


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(torch.linspace(-0.4, 0.9, p.numel()).view_as(p) + 0.1 * k)
    return model


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, 0.9)

    def step(self, state, wanted):
        loss = (self.model(state) - wanted).square().mean()
        self.optimizer.zero_grad()
        self.back(loss)
        self.optimizer.step()
        self.scheduler.step()

    def back(self, loss):
        loss.backward(retain_graph=True)  #!


class FrugalTrainer(Trainer):
    def back(self, loss):
        loss.backward()


def run(kind):
    model = initialise(Controller())
    trainer = kind(model)
    for k in range(5):
        state = torch.cos(torch.arange(10.0).view(5, 2) + k)
        trainer.step(state, torch.linspace(0.1, 0.9, 5))
    return {"model.gain.weight": model.gain.weight.grad}


def broken():
    return run(Trainer)


def fixed():
    return run(FrugalTrainer)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
