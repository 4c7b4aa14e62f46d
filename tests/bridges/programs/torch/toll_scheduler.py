"""Tolls by hour: a Lagrangian with a multiplier that is asked for after the steps."""
import sys

import numpy as np
import torch

demand = torch.linspace(3.0, 8.0, 4)


def traffic(toll):
    return demand * torch.exp(-0.3 * toll)


def convert(values):
    return torch.as_tensor(np.asarray(values, dtype=np.float32))  #~


class Plan:
    def __init__(self):
        self.toll = torch.linspace(0.5, 2.0, 4).requires_grad_()

    def revenue(self):
        flow = traffic(self.toll)
        return convert([fee * cars for fee, cars in zip(self.toll.tolist(), flow.tolist())]).sum()  #!


class DirectPlan(Plan):
    def revenue(self):
        return (self.toll * traffic(self.toll)).sum()


def slope(plan):
    toll = plan.toll
    (-plan.revenue()).backward()
    return {"toll": toll.grad}


def broken():
    return slope(Plan())


def fixed():
    return slope(DirectPlan())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
