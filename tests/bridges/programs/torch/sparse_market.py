"""Recommends market stalls: sparse embeddings with their own optimizer, a scheduler and early stopping."""
import sys

import torch
from torch import nn


class Stalls(nn.Module):
    def __init__(self, people=6, stalls=8, dim=4):
        super().__init__()
        self.people = nn.Embedding(people, dim, sparse=True)
        self.stalls = nn.Embedding(stalls, dim, sparse=True)
        self.bias = nn.Parameter(torch.zeros(stalls))

    def forward(self, person, stall):
        return (self.people(person) * self.stalls(stall)).sum(-1) + self.bias[stall]


def broken():
    torch.manual_seed(0)
    model = Stalls()
    sparse = torch.optim.SparseAdam([*model.people.parameters(), *model.stalls.parameters()], lr=0.05)
    dense = torch.optim.Adam([model.bias], lr=0.05)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(dense, patience=0)
    best, waited = float("inf"), 0
    for epoch in range(4):
        total = 0.0
        for k in range(3):
            person, stall = torch.tensor([k, k + 1, k + 2]), torch.tensor([2 * k, 2 * k + 1, 7])
            loss = nn.functional.binary_cross_entropy_with_logits(model(person, stall), torch.tensor([1.0, 0.0, 1.0]))
            sparse.zero_grad()
            dense.zero_grad()
            loss.backward()
            sparse.step()
            dense.step()
            total += loss.item()
        schedule.step(total)
        best, waited = (total, 0) if total < best else (best, waited + 1)
        if waited > 1:
            break
    return {"model.people.weight": model.people.weight.grad.to_dense(), "model.bias": model.bias.grad}


if __name__ == "__main__":
    print(broken())
