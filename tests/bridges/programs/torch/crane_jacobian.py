"""How the positions of a crane's joints answer to its angles."""
import sys

import torch


def positions(angles):
    total = torch.cumsum(angles, dim=0)
    return torch.cat([torch.cumsum(torch.cos(total), 0), torch.cumsum(torch.sin(total), 0)])


def by_rows(angles):
    hook = positions(angles)
    rows = []
    for k in range(hook.shape[0]):
        rows.append(torch.autograd.grad(hook[k], angles, retain_graph=True)[0])  #!
    return torch.stack(rows)


def at_once(angles):
    return torch.func.jacrev(positions)(angles)


def work(jacobian):
    angles = torch.linspace(0.1, 0.8, 8).requires_grad_()
    matrix = jacobian(angles)
    return {"angles": matrix.detach().square().sum(dim=0)}


def broken():
    return work(by_rows)


def fixed():
    return work(at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
