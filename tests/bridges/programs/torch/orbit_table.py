"""Integrates a satellite's orbit into a table and fits its drag."""
import sys

import torch


class Orbit:
    def __init__(self, drag):
        self.drag = drag

    def speed(self, height):
        return 1.0 / (0.5 + height) - self.drag * height

    def into_table(self, steps):
        table = torch.zeros(steps + 1)
        table[0] = 1.0
        for k in range(steps):
            table.data[k + 1] = table[k] + 0.1 * self.speed(table[k])  #!
        return table

    def into_list(self, steps):
        heights = [torch.tensor(1.0)]
        for _ in range(steps):
            heights.append(heights[-1] + 0.1 * self.speed(heights[-1]))
        return torch.stack(heights)


def fit(integrate):
    drag = torch.tensor(0.2, requires_grad=True)
    tilt = torch.tensor(0.1, requires_grad=True)
    seen = torch.linspace(1.0, 1.4, 6)
    for _ in range(3):
        drag.grad = tilt.grad = None
        miss = integrate(Orbit(drag), 5) + tilt - seen
        miss.square().sum().backward()
        with torch.no_grad():
            tilt -= 0.01 * tilt.grad
    return {"drag": drag.grad, "tilt": tilt.grad}


def broken():
    return fit(Orbit.into_table)


def fixed():
    return fit(Orbit.into_list)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
