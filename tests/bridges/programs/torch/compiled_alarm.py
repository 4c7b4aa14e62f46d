"""A compiled loss of a fire alarm that reads a number half way."""
import sys

import torch


class Alarm:
    def __init__(self):
        self.threshold = torch.tensor(0.4, requires_grad=True)
        self.slope = torch.tensor(5.0, requires_grad=True)
        self.peak = 0.0

    def watch(self, smoke):
        self.peak = max(self.peak, smoke.max().item())  #!

    def loss(self, smoke, fire):
        level = smoke * self.slope
        self.watch(smoke)  #~
        ring = torch.sigmoid(level - self.threshold * self.slope)
        return (ring - fire).square().mean()


class QuietAlarm(Alarm):
    def watch(self, smoke):
        return None


def train(alarm):
    threshold = alarm.threshold
    compiled = torch.compile(alarm.loss, backend="eager")
    smoke = torch.linspace(0.0, 1.0, 10)
    fire = (smoke > 0.6).float()
    for _ in range(2):
        compiled(smoke, fire).backward()
    return {"threshold": threshold.grad}


def broken():
    return train(Alarm())


def fixed():
    return train(QuietAlarm())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
