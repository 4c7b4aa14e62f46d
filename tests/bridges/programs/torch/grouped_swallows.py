"""Song recognition with three groups of parameters, each with its own rate and decay."""
import sys

import torch
from torch import nn


class Swallow(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(1, 4, 3, padding=1)
        self.norm = nn.GroupNorm(2, 4)
        self.attend = nn.Linear(4, 4)
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        h = torch.relu(self.norm(self.stem(x))).transpose(1, 2)
        h = h * torch.sigmoid(self.attend(h))  #!
        return self.head(h.mean(dim=1))  #~


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.add_(0.4 * torch.cos(torch.arange(p.numel()) * 0.8 + k).view_as(p) - p)
    return module


def groups(model, kinds):
    found = []
    for kind, lr in kinds:
        chosen = [p for name, p in model.named_parameters() if name.startswith(kind)]
        found.append({"params": chosen, "lr": lr, "weight_decay": 0.0 if kind == "norm" else 0.01})
    return found


def train(kinds):
    model = settle(Swallow())
    optimizer = torch.optim.AdamW(groups(model, kinds))
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    songs = torch.sin(torch.arange(60.0) * 0.3).view(5, 1, 12)
    for _ in range(4):
        loss = nn.functional.cross_entropy(model(songs), torch.arange(5) % 3)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return {"model.stem.weight": model.stem.weight.grad, "model.head.weight": model.head.weight.grad}


def broken():
    return train([("stem", 1e-4), ("norm", 1e-3), ("head", 1e-3)])


def fixed():
    return train([("stem", 1e-4), ("norm", 1e-3), ("attend", 1e-3), ("head", 1e-3)])

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
