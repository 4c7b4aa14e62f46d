"""Fits the scales and weights of vibration sensors by L-BFGS."""
import sys

import torch
from torch import nn


class Sensors(nn.Module):
    def __init__(self, sensors=4):
        super().__init__()
        self.scale = nn.Parameter(torch.linspace(0.7, 1.3, sensors))
        self.weights = nn.Parameter(torch.full((sensors,), 0.25))

    def rescale(self, raw):
        return raw * self.scale

    def combine(self, scaled):
        return scaled @ self.weights.softmax(dim=0)  #!


class Fit:
    def __init__(self, model, raw, truth):
        self.model, self.raw, self.truth = model, raw, truth
        self.optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4, history_size=5)

    def loss(self, scaled):
        return (self.model.combine(scaled) - self.truth).abs().mean()

    def run(self):
        scaled = self.model.rescale(self.raw)  #~

        def closure():
            self.optimizer.zero_grad()
            loss = self.loss(scaled)
            loss.backward()
            return loss

        return self.optimizer.step(closure)


class FitInside(Fit):
    def run(self):
        def closure():
            self.optimizer.zero_grad()
            loss = self.loss(self.model.rescale(self.raw))
            loss.backward()
            return loss

        return self.optimizer.step(closure)


def calibrate(kind):
    model = Sensors()
    raw = torch.sin(torch.arange(48.0) * 0.4).view(12, 4)
    kind(model, raw, raw.mean(dim=1) * 1.1 + 0.05).run()
    return {"model.scale": model.scale.grad, "model.weights": model.weights.grad}


def broken():
    return calibrate(Fit)


def fixed():
    return calibrate(FitInside)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
