"""Predicts the stay of patients admitted together; compiled for any number of them."""
import sys

import torch
from torch import nn


class Stay(nn.Module):
    def __init__(self):
        super().__init__()
        self.age = nn.Parameter(torch.tensor(0.3))
        self.grade = nn.Parameter(torch.tensor([0.2, 0.5]))
        self.base = nn.Parameter(torch.tensor(1.0))

    def forward(self, age, grade):
        return torch.exp(self.base + self.age * age + grade @ self.grade)


def admissions(sizes):
    for k, count in enumerate(sizes):
        age = torch.linspace(0.2, 0.9, count) + 0.01 * k
        grade = torch.cos(torch.arange(2.0 * count)).view(count, 2)
        yield age, grade, 2 + torch.sin(torch.arange(float(count)))


def train(sizes):
    model = Stay()

    @torch.compile(backend="aot_eager", dynamic=True)
    def stay_loss(age, grade, days):
        return (model(age, grade).log() - days.log()).square().mean()

    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for age, grade, days in admissions(sizes):
        optimizer.zero_grad()
        loss = stay_loss(age, grade, days)  #!
        loss.backward()
        optimizer.step()
    return {"model.age": model.age.grad, "model.grade": model.grade.grad}


def broken():
    return train([5, 3, 7, 1, 4])


def fixed():
    return train([5, 3, 7, 2, 4])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
