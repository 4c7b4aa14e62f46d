"""Newton's method for the place of a well: the Hessian is put together row by row."""
import sys

import torch


def cost(place, villages, people):
    return (people * (place - villages).square().sum(-1).add(0.5).sqrt()).sum()


def hessian_by_rows(gradient, place):
    rows = []
    for k in range(len(place)):
        (row,) = torch.autograd.grad(gradient[k], place, retain_graph=True)  #!
        rows.append(row)
    return torch.stack(rows)


def hessian_at_once(gradient, place):
    (rows,) = torch.autograd.grad(gradient, place, torch.eye(len(place)), is_grads_batched=True)
    return rows


def dig(hessian_of):
    villages = torch.sin(torch.arange(60.0)).view(10, 6)
    people = torch.linspace(1, 3, 10)
    place = torch.full((6,), 0.1, requires_grad=True)
    for _ in range(2):
        loss = cost(place, villages, people)
        (gradient,) = torch.autograd.grad(loss, place, create_graph=True)
        step = torch.linalg.solve(hessian_of(gradient, place), gradient.detach())
        with torch.no_grad():
            place -= step
    cost(place, villages, people).backward()
    return {"place": place.grad + 1.0}


def broken():
    return dig(hessian_by_rows)


def fixed():
    return dig(hessian_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
