"""A compiled loss of student and teacher with a temperature that a schedule cools."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Schedule:
    def __init__(self, start, share):
        self.value, self.share = start, share

    def step(self):
        self.value = max(1, self.value - self.share)


def soft_loss(student, teacher, temperature):
    soft = F.softmax(teacher / temperature, dim=-1)
    return F.kl_div(F.log_softmax(student / temperature, dim=-1), soft, reduction="batchmean") * temperature**2


def train(wrap):
    student = nn.Linear(4, 3)
    with torch.no_grad():
        student.weight.copy_(torch.linspace(-0.5, 0.5, 12).view(3, 4))
        student.bias.zero_()
    compiled = torch.compile(soft_loss, backend="aot_eager", dynamic=False)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    schedule = Schedule(6, 2)
    for step in range(4):
        batch = torch.sin(torch.arange(20.0).view(5, 4) + step)
        teacher = torch.cos(torch.arange(15.0).view(5, 3) + step)
        loss = compiled(student(batch), teacher, wrap(schedule.value))  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return {"student.weight": student.weight.grad}


def broken():
    return train(int)


def fixed():
    return train(lambda value: torch.tensor(float(value)))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
