"""Embeds the calls of bats and pulls those of one species together."""
import sys

import torch
from torch import nn


class Ear(nn.Module):
    def __init__(self):
        super().__init__()
        self.filter = nn.Conv1d(1, 3, 3)
        self.project = nn.Linear(3, 2)
        with torch.no_grad():
            for k, p in enumerate(self.parameters()):
                p.copy_(0.7 * torch.sin(torch.arange(p.numel()) * 0.6 + k).view_as(p))

    def forward(self, calls):
        heard = torch.relu(self.filter(calls)).amax(-1)
        return self.project(heard)


def embed_all(ear, calls):
    found = []
    for k in range(calls.shape[0]):
        found.append(ear(calls[k:k + 1]))  #!
    return torch.cat(found)


def embed_batch(ear, calls):
    return ear(calls)


def spread(embedded, species):
    centres = torch.stack([embedded[species == s].mean(0) for s in range(3)])
    return (embedded - centres[species]).square().sum(1).mean()


def train(embed):
    ear = Ear()
    calls = torch.sin(torch.arange(12 * 8.0)).view(12, 1, 8)
    species = torch.arange(12) % 3
    optimizer = torch.optim.Adam(ear.parameters(), lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        spread(embed(ear, calls), species).backward()
        optimizer.step()
    return {"ear.project.weight": ear.project.weight.grad}


def broken():
    return train(embed_all)


def fixed():
    return train(embed_batch)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
