"""Shares of a bakery's customers, as a cross entropy of softmax outputs."""
import sys

import torch


def shares(taste):
    return torch.softmax(taste, dim=0)


def entropy(wanted, share):
    return -(wanted * torch.log(share)).sum()  #!


def stable(wanted, taste):
    return -(wanted * torch.log_softmax(taste, dim=0)).sum()


def gradients(loss_of):
    taste = torch.tensor([0.0, 40.0, 160.0], requires_grad=True)
    wanted = torch.tensor([0.0, 0.3, 0.7])
    loss_of(wanted, taste).backward()
    return {"taste": taste.grad}


def broken():
    return gradients(lambda wanted, taste: entropy(wanted, shares(taste)))


def fixed():
    return gradients(stable)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
