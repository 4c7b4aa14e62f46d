"""Waiting times in clinics; a fairness term compares the groups of each batch."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class Waiting(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 6), nn.ReLU6(), nn.Linear(6, 1))

    def forward(self, patient):
        return self.net(patient).squeeze(-1)


def gap(time, group):
    groups = [time[group == g].mean() for g in range(2)]  #!
    return (groups[0] - groups[1]).square()


def guarded_gap(time, group):
    if group.sum() in (0, len(group)):
        return time.new_zeros(())
    return gap(time, group)


def batches():
    for k, groups in enumerate(([0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0])):
        patient = torch.sin(torch.arange(16.0).view(4, 4) * 0.5 + k)
        yield patient, patient.abs().sum(dim=1), torch.tensor(groups)


def train(fairness):
    model = Waiting()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.8 + k).view_as(p))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for patient, minutes, group in batches():
        time = model(patient)
        loss = F.smooth_l1_loss(time, minutes) + 0.1 * fairness(time, group)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.net.0.weight": model.net[0].weight.grad, "model.net.2.weight": model.net[2].weight.grad}


def broken():
    return train(gap)


def fixed():
    return train(guarded_gap)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
