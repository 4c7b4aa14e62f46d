"""A regression on household surveys, where each household counts with its sampling weight."""
import sys

import torch
from torch import nn


class Income(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 6), nn.Softplus())
        self.out = nn.Linear(6, 1)

    def forward(self, household):
        return self.out(self.body(household))


def misses(predicted, income):
    return (predicted - income.unsqueeze(1)).square()  #!


def flat_misses(predicted, income):
    return (predicted.squeeze(1) - income).square()


class Survey:
    def __init__(self, households=9):
        angle = torch.arange(households * 4) * 0.29
        self.household = torch.sin(angle).view(households, 4)
        self.income = self.household.sum(1).exp()
        self.weight = 1.0 + (torch.arange(households) % 3)

    def __iter__(self):
        for part in torch.arange(len(self.income)).split(3):
            yield self.household[part], self.income[part], self.weight[part] / self.weight.sum()


def estimate(miss_of):
    torch.manual_seed(6)
    model = Income()
    optimizer = torch.optim.NAdam(model.parameters(), lr=0.01)
    for household, income, weight in Survey():
        optimizer.zero_grad()
        miss = miss_of(model(household), income)  #~
        miss.backward(gradient=weight)  #~
        optimizer.step()
    return {"model.out.weight": model.out.weight.grad}


def broken():
    return estimate(misses)


def fixed():
    return estimate(flat_misses)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
