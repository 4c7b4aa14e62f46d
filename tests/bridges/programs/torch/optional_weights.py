"""Grades apples from a belt; some batches carry a weight for each apple."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Grader(nn.Module):
    def __init__(self):
        super().__init__()
        self.colour = nn.Linear(3, 4)
        self.size = nn.Linear(2, 4)
        self.grade = nn.Linear(4, 1)

    def forward(self, batch):
        return self.grade(torch.tanh(self.colour(batch["colour"]) + self.size(batch["size"]))).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return module


def batches(weighed):
    for k, has_weight in enumerate(weighed):
        batch = {
            "colour": torch.cos(torch.arange(18.0) + k).view(6, 3),
            "size": torch.sin(torch.arange(12.0) + k).view(6, 2),
            "truth": torch.linspace(0, 1, 6),
        }
        if has_weight:
            batch["weight"] = torch.linspace(0.5, 1.5, 6)
        yield batch


def train(weighed):
    model = settle(Grader())

    @torch.compile(backend="aot_eager")
    def grade_loss(batch):
        each = F.smooth_l1_loss(model(batch), batch["truth"], reduction="none")
        for name, value in batch.items():
            if name == "weight":
                each = each * value
        return each.mean()

    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches(weighed):
        optimizer.zero_grad()
        loss = grade_loss(batch)  #!
        loss.backward()
        optimizer.step()
    return {"model.grade.weight": model.grade.weight.grad, "model.size.weight": model.size.weight.grad}


def broken():
    return train([False, False, True, False])


def fixed():
    return train([True, True, True, True])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
