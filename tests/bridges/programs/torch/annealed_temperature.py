"""Distils a sorter of parcels with a temperature that falls each epoch; the loss is compiled."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


@torch.compile(backend="eager")
def distillation(student, teacher, temperature):
    soft = F.log_softmax(student / temperature, dim=1)
    return F.kl_div(soft, F.softmax(teacher / temperature, dim=1), reduction="batchmean")


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(as_number):
    torch._dynamo.reset()
    student = settle(nn.Linear(4, 3))
    parcels = torch.sin(torch.arange(20.0)).view(5, 4)
    teacher = torch.cos(torch.arange(15.0)).view(5, 3)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for warm in ["high", "middle", "low"]:
        temperature = {"high": 4, "middle": 3, "low": 2}[warm]
        given = temperature if as_number else torch.tensor(float(temperature))
        optimizer.zero_grad()
        loss = distillation(student(parcels), teacher, given)  #!
        loss.backward()
        optimizer.step()
    return {"student.weight": student.weight.grad}


def broken():
    return train(True)


def fixed():
    return train(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
