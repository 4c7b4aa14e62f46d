"""A compiled encoder of farm records that is told by an enumeration which task it serves."""
import enum
import sys

import torch
from torch import nn


class Task(enum.Enum):
    YIELD = 0
    DISEASE = 1


class Farm(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(4, 5)
        self.heads = nn.ModuleList([nn.Linear(5, 1), nn.Linear(5, 1)])


@torch.compile(backend="eager")
def encode(shared, task):
    if task is Task.DISEASE:
        return torch.sigmoid(shared)
    return torch.relu(shared)


def encode_both(shared, share):
    return share * torch.sigmoid(shared) + (1.0 - share) * torch.relu(shared)


compiled_both = torch.compile(encode_both, backend="eager")


def serve(farm, record, task):
    return farm.heads[task.value](encode(farm.shared(record), task)).mean()  #!


def serve_both(farm, record, task):
    share = torch.tensor(float(task is Task.DISEASE))
    return farm.heads[task.value](compiled_both(farm.shared(record), share)).mean()


def train(serve):
    farm = Farm()
    with torch.no_grad():
        for k, p in enumerate(farm.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.8 + k + 1).view_as(p))
    for step, task in enumerate([Task.YIELD, Task.YIELD, Task.DISEASE, Task.YIELD]):
        record = torch.sin(torch.arange(12.0).view(3, 4) + step)
        serve(farm, record, task).backward()
    return {"farm.shared.weight": farm.shared.weight.grad}


def broken():
    return train(serve)


def fixed():
    return train(serve_both)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
