"""A compiled step of a pump model whose rate is a Python number that decays."""
import sys

import torch


class Pump:
    def __init__(self):
        self.power = torch.tensor([0.4, 0.8], requires_grad=True)

    def parameters(self):
        return [self.power]


@torch.compile(backend="eager", dynamic=False)
def pumped(power, water, rate):
    return torch.tanh(power * water) * rate


def run(rates):
    pump = Pump()
    optimizer = torch.optim.SGD(pump.parameters(), lr=0.1)
    for rate in rates:
        optimizer.zero_grad()
        moved = pumped(pump.power, torch.tensor([1.0, 2.0]), rate)  #!
        (moved.sum() - 1.0).square().backward()
        optimizer.step()
    power = pump.power
    return {"power": power.grad}


def broken():
    return run([4, 2, 1])


def fixed():
    return run([torch.tensor(4.0), torch.tensor(2.0), torch.tensor(1.0)])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
