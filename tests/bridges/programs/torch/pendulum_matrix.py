"""A pendulum whose transition matrix is made of its constants."""
import sys

import torch


def copied(length, damping):
    return torch.tensor([[1.0, 0.1], [-0.98 / length, 1.0 - damping]], requires_grad=True)  #!


def stacked(length, damping):
    one = torch.ones(())
    return torch.stack([torch.stack([one, one * 0.1]), torch.stack([-0.98 / length, 1.0 - damping])])


def train(matrix_of):
    length = torch.tensor(1.2, requires_grad=True)
    damping = torch.tensor(0.05, requires_grad=True)
    state = torch.tensor([0.3, 0.0])
    matrix = matrix_of(length, damping)
    for _ in range(5):
        state = matrix @ state
    loss = (state - torch.tensor([0.1, -0.2])).square().sum()
    loss.backward()
    return {"length": length.grad, "damping": damping.grad}


def broken():
    return train(copied)


def fixed():
    return train(stacked)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
