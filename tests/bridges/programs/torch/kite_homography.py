"""Registers photographs from a kite: eight numbers of a homography, fitted to marked points on the ground."""
import sys

import torch


def parameters():
    return {
        "angle": torch.tensor(0.1, requires_grad=True),
        "scale": torch.tensor(1.1, requires_grad=True),
        "shift": torch.tensor([0.2, -0.1], requires_grad=True),
        "tilt": torch.tensor([0.01, 0.02], requires_grad=True),
    }


def linear_part(angle, scale):
    c, s = torch.cos(angle), torch.sin(angle)
    return torch.tensor([[scale * c, -scale * s], [scale * s, scale * c]])  #!


def stacked_part(angle, scale):
    c, s = torch.cos(angle), torch.sin(angle)
    return scale * torch.stack([torch.stack([c, -s]), torch.stack([s, c])])


def homography(p, part):
    top = torch.cat([part(p["angle"], p["scale"]), p["shift"].unsqueeze(1)], dim=1)
    bottom = torch.cat([p["tilt"], torch.ones(1)]).unsqueeze(0)
    return torch.cat([top, bottom], dim=0)


def project(h, points):
    mapped = torch.cat([points, torch.ones(len(points), 1)], dim=1) @ h.T
    return mapped[:, :2] / mapped[:, 2:]


def register(part, rounds=5, lr=0.05):
    p = parameters()
    ground = torch.tensor([[0.0, 0.0], [1.0, 0.2], [0.3, 1.1], [1.2, 1.3], [0.6, 0.5]])
    photo = ground @ torch.tensor([[0.9, 0.3], [-0.2, 1.2]]) + 0.15
    optimizer = torch.optim.SGD(p.values(), lr=lr)
    for _ in range(rounds):
        optimizer.zero_grad()
        error = (project(homography(p, part), ground) - photo).square().sum(1).mean()
        error.backward()
        optimizer.step()
    angle, scale, shift = p["angle"], p["scale"], p["shift"]
    return {"angle": angle.grad, "scale": scale.grad, "shift": shift.grad}


def broken():
    return register(linear_part)


def fixed():
    return register(stacked_part)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
