"""Learns soft labels for noisy pictures of mushrooms along with the classifier."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class SoftLabels(nn.Module):
    def __init__(self, labels, classes):
        super().__init__()
        self.logits = nn.Parameter(4.0 * F.one_hot(labels, classes).float())

    def forward(self, rows):
        return self.logits[rows].softmax(-1)


class Sharp(SoftLabels):
    def forward(self, rows):
        return F.one_hot(self.logits[rows].softmax(-1).argmax(-1), self.logits.shape[1]).float()  #!


def learn(kind):
    torch.manual_seed(0)
    labels = torch.arange(12) % 3
    soft = kind(labels, 3)
    net = nn.Sequential(nn.Linear(4, 8), nn.PReLU(), nn.Linear(8, 3))
    optimizer = torch.optim.AdamW([{"params": net.parameters(), "weight_decay": 0.01}, {"params": soft.parameters(), "lr": 0.1}], lr=1e-3)
    pictures = torch.sin(torch.arange(48.0)).view(12, 4)
    for epoch in range(2):
        for rows in torch.arange(12).split(6):
            optimizer.zero_grad()
            loss = F.kl_div(net(pictures[rows]).log_softmax(-1), soft(rows), reduction="batchmean")
            loss.backward()
            optimizer.step()
    return {"soft.logits": soft.logits.grad, "net.0.weight": net[0].weight.grad}


def broken():
    return learn(Sharp)


def fixed():
    return learn(SoftLabels)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
