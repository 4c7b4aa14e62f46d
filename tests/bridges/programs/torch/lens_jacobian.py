"""How the image of each point moves with the parameters of a lens: the Jacobian for a Gauss-Newton step."""
import sys

import torch


def trace(lens, points):
    focus, bend, tilt = lens.unbind()
    r = points.square().sum(dim=1)
    return points[:, 0] * (1 / focus + bend * r) + tilt * points[:, 1]


def looped(lens, points):
    image = trace(lens, points)
    rows = []
    for k in range(len(points)):
        (row,) = torch.autograd.grad(image[k], lens, retain_graph=True)  #!
        rows.append(row)
    return torch.stack(rows)


def together(lens, points):
    return torch.func.jacfwd(lambda p: trace(p, points))(lens)


def fit(lens, points, seen, jacobian, rounds=2):
    for _ in range(rounds):
        slope = jacobian(lens, points).detach()
        gap = (seen - trace(lens, points)).detach()
        squares = (slope.unsqueeze(2) * slope.unsqueeze(1)).sum(dim=0)
        change = torch.linalg.solve(squares, (slope * gap.unsqueeze(1)).sum(dim=0))
        with torch.no_grad():
            lens += change
    return lens


def train(jacobian):
    points = torch.stack([torch.cos(torch.arange(24.0)), torch.sin(1.7 * torch.arange(24.0))], dim=1)
    seen = trace(torch.tensor([1.5, 0.1, 0.2]), points)
    lens = torch.tensor([1.2, 0.0, 0.0], requires_grad=True)
    fit(lens, points, seen, jacobian)
    loss = (trace(lens, points) - seen).square().mean()
    loss.backward()
    return {"lens": lens.grad}


def broken():
    return train(looped)


def fixed():
    return train(together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
