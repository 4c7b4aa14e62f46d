"""Tickets sold at a theatre's desks and what a change of their numbers earns."""
import sys

import torch

prices = torch.tensor([12.0, 18.0, 25.0])


def income(tickets, discount):
    return torch.sum(tickets * prices * (1.0 - discount))  #~


def slopes(tickets):
    discount = torch.tensor([0.1, 0.0, 0.2], requires_grad=True)
    income(tickets, discount).backward()
    return {"tickets": tickets.grad, "discount": discount.grad}


def broken():
    tickets = torch.tensor([120, 80, 40])  #!
    return slopes(tickets)


def fixed():
    tickets = torch.tensor([120.0, 80.0, 40.0], requires_grad=True)
    return slopes(tickets)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
