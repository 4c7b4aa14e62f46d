"""Length of stay in a hospital from vital signs and, where there are any, blood values."""
import sys

import torch
from torch import nn


class StayModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.vitals = nn.Linear(5, 8)
        self.blood = nn.Linear(3, 8)
        self.days = nn.Linear(8, 1)


def predict(model, vitals, blood=None):
    hidden = model.vitals(vitals)
    if blood is not None:
        hidden = hidden + model.blood(blood)
    return nn.functional.softplus(model.days(torch.tanh(hidden))).squeeze(-1)


def admissions(count=5, people=6):
    for day in range(count):
        vitals = torch.sin(torch.arange(people * 5).reshape(people, 5) * (0.2 + 0.1 * day))
        blood = torch.cos(torch.arange(people * 3).reshape(people, 3) * 0.3) if day in (1, 4) else None
        yield vitals, blood, 2 + vitals.sum(1).abs()


def filled(days):
    for vitals, blood, stay in days:
        yield vitals, torch.zeros(len(vitals), 3) if blood is None else blood, stay


def train(days):
    torch.manual_seed(16)
    model = StayModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    expected_stay = torch.compile(predict, backend="eager")
    errors = []
    for vitals, blood, stay in days:
        loss = (expected_stay(model, vitals, blood) - stay).abs().mean()  #!
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        errors.append(loss.detach())
    return {"model.days.weight": model.days.weight.grad}


def broken():
    return train(admissions())


def fixed():
    return train(filled(admissions()))


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
