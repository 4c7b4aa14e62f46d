"""The level of a lake, kept in a table by day."""
import sys

import torch


def simulate(inflow, store):
    leak = torch.tensor(0.1, requires_grad=True)
    levels = torch.zeros(6)
    level = torch.tensor(1.0)
    for day in range(1, 6):
        level = store(levels, day, level + inflow[day]) * (1.0 - leak)
    return leak, level


def into_table(levels, day, level):
    levels.data[day] = level  #!
    return levels[day]


def direct(levels, day, level):
    levels.data[day] = level.detach()
    return level


def gradients(store):
    inflow = torch.linspace(0.1, 0.6, 6).requires_grad_()
    leak, level = simulate(inflow, store)
    (level - 2.0).square().backward()
    return {"inflow": inflow.grad, "leak": leak.grad}


def broken():
    return gradients(into_table)


def fixed():
    return gradients(direct)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
