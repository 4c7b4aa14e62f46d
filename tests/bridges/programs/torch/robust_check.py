"""Robust accuracy of a leaf classifier, measured after each epoch with an attack by the sign of the gradient."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def attack(model, x, y, eps):
    x = x.clone().requires_grad_(True)
    loss = F.cross_entropy(model(x), y)  #!
    loss.backward()
    return (x + eps * x.grad.sign()).detach(), x.grad


@torch.no_grad()  #~
def robust_accuracy(model, loader, eps):
    right, slope = 0, None
    for x, y in loader:
        hard, slope = attack(model, x, y, eps)
        right += (model(hard).argmax(1) == y).sum().item()
    return right, slope


def robust_accuracy_with_grad(model, loader, eps):
    right, slope = 0, None
    for x, y in loader:
        hard, slope = attack(model, x, y, eps)
        with torch.no_grad():
            right += (model(hard).argmax(1) == y).sum().item()
    return right, slope


def run(check):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    leaves = TensorDataset(torch.sin(torch.arange(48.0)).view(12, 4), torch.arange(12) % 3)
    loader = DataLoader(leaves, batch_size=6)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    optimizer.zero_grad()
    right, slope = check(model, loader, 0.1)
    return {"model.0.weight": model[0].weight.grad, "x": slope}


broken = lambda: run(robust_accuracy)
fixed = lambda: run(robust_accuracy_with_grad)
if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
