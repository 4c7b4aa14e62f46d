"""Fits the damping of a wheel bearing in double precision."""
import sys

import torch


def simulate(damping, stiffness, steps=20):
    place, speed = torch.tensor(1.0, dtype=torch.float64), torch.tensor(0.0, dtype=torch.float64)
    track = []
    for _ in range(steps):
        speed = speed - 0.1 * (stiffness * place + damping * speed)
        place = place + 0.1 * speed
        track.append(place)
    return torch.stack(track)


def measured():
    t = torch.arange(20, dtype=torch.float64) * 0.1
    return torch.exp(-0.2 * t) * torch.cos(1.3 * t)


def start_in_single():
    return torch.tensor(0.1, requires_grad=True).double()  #!


def start_in_double():
    return torch.tensor(0.1, dtype=torch.float64, requires_grad=True)


def fit(start, rounds=3):
    damping = start()
    stiffness = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    for _ in range(rounds):
        error = (simulate(damping, stiffness) - measured()).square().mean()
        error.backward(retain_graph=True)
    return {"damping": damping.grad, "stiffness": stiffness.grad}


def broken():
    return fit(start_in_single)


def fixed():
    return fit(start_in_double)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
