"""Sediment at the arms of a river delta."""
import sys

import torch

flow = torch.linspace(1.0, 4.0, 6)
sediment = torch.linspace(0.2, 1.5, 6)


def deposit(share, settling):
    return flow * torch.softmax(share, dim=0) * torch.sigmoid(settling)


def gradients(share, settling):
    misfit = torch.mean((deposit(share, settling) - sediment) ** 2)
    misfit.backward()
    return {"share": share.grad, "settling": settling.grad}


def broken():
    share = torch.arange(6.0, requires_grad=True) * 0.1  #!
    settling = torch.tensor(0.3, requires_grad=True)
    return gradients(share, settling)


def fixed():
    share = (torch.arange(6.0) * 0.1).requires_grad_()
    settling = torch.tensor(0.3, requires_grad=True)
    return gradients(share, settling)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
