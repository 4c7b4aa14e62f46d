"""Keeps the filters of a reader of barcodes orthogonal by a penalty that is added to the loss of each batch."""
import sys

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Barcodes(nn.Module):
    def __init__(self):
        super().__init__()
        self.filters = nn.Conv1d(1, 4, 5, bias=False)
        self.out = nn.Linear(4, 2)

    def forward(self, code):
        return self.out(F.relu(self.filters(code.unsqueeze(1))).amax(dim=-1))


def orthogonality(model):
    w = model.filters.weight.flatten(1)
    return (w @ w.t() - torch.eye(len(w))).square().sum()  #~


def epoch_once(model, loader, optimizer):
    penalty = 0.1 * orthogonality(model)  #~
    for code, kind in loader:
        loss = F.cross_entropy(model(code), kind) + penalty  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def epoch_each(model, loader, optimizer):
    for code, kind in loader:
        loss = F.cross_entropy(model(code), kind) + 0.1 * orthogonality(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train(epoch):
    model = Barcodes()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.9 + k).view_as(p))
    code = torch.sin(torch.arange(96.0).view(8, 12) * 0.45)
    loader = DataLoader(TensorDataset(code, torch.arange(8) % 2), batch_size=4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(2):
        epoch(model, loader, optimizer)
    return {"model.filters.weight": model.filters.weight.grad, "model.out.weight": model.out.weight.grad}


def broken():
    return train(epoch_once)


def fixed():
    return train(epoch_each)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
