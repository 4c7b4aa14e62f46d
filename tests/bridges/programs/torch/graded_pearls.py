"""Grades pearls and keeps a confusion matrix while it trains."""
import sys

import torch
import torch.nn.functional as F
from torch import nn

GRADES = 3


class Grader(nn.Module):
    def __init__(self):
        super().__init__()
        self.lustre = nn.Linear(4, 6)
        self.grade = nn.Linear(6, GRADES)

    def forward(self, pearl):
        return self.grade(F.gelu(self.lustre(pearl)))


class Confusion:
    def __init__(self):
        self.table = [[0] * GRADES for _ in range(GRADES)]

    def update(self, logits, grade):
        for scores, truth in zip(logits.detach(), grade):
            self.table[truth.item()][scores.argmax().item()] += 1  #!


class BatchedConfusion(Confusion):
    def update(self, logits, grade):
        cells = torch.bincount(grade * GRADES + logits.detach().argmax(1), minlength=GRADES**2)
        for k, count in enumerate(cells.tolist()):
            self.table[k // GRADES][k % GRADES] += count


def train(metric, epochs=2):
    torch.manual_seed(13)
    model = Grader()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(epochs):
        pearl = torch.sin(torch.arange(64 * 4) * 0.21 + epoch).view(64, 4)
        grade = (torch.arange(64) + epoch) % GRADES
        logits = model(pearl)
        loss = F.cross_entropy(logits, grade, label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        metric.update(logits, grade)  #~
    return {"model.lustre.weight": model.lustre.weight.grad}


def broken():
    return train(Confusion())


def fixed():
    return train(BatchedConfusion())


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
